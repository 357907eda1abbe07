#include "plugin_protocol/handshake.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace landfall::plugin_protocol {
namespace {

TEST(Handshake, ReadsWhatAGoPluginPrints) {
  const auto read = parse_handshake("1|2|unix|/tmp/plugin2417586093|grpc|");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, (Handshake{.network = Network::kUnix, .address = "/tmp/plugin2417586093"}));
  EXPECT_EQ(channel_target(*read), "unix:/tmp/plugin2417586093");
}

TEST(Handshake, ReadsAPortOfThisMachine) {
  const auto read = parse_handshake(" 1|2|tcp|127.0.0.1:10000|grpc\r");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(channel_target(*read), "ipv4:127.0.0.1:10000");
  EXPECT_EQ(channel_target({.network = Network::kTcp, .address = "[::1]:80"}), "ipv6:[::1]:80");
}

TEST(Handshake, SaysWhatIsWrong) {
  const auto message = [](std::string_view line) {
    const auto read = parse_handshake(line);
    return read ? "read" : read.error().message();
  };
  EXPECT_EQ(message("hello world"), R"(the first line is "hello world", not a handshake ("1|2|unix|PATH|grpc|"))");
  EXPECT_EQ(message("2|2|unix|/a|grpc|"), R"(go-plugin's protocol "2" is not 1)");
  EXPECT_EQ(message("1|1|unix|/a|grpc|"), R"(the plugin's protocol "1" is not 2)");
  EXPECT_EQ(message("1|2|unix|/a"), "the plugin does not speak gRPC but net/rpc");
  EXPECT_EQ(message("1|2|unix|/a|netrpc|"), R"(the plugin does not speak gRPC but "netrpc")");
  EXPECT_EQ(message("1|2|pipe|/a|grpc|"), R"(the network "pipe" is neither unix nor tcp)");
  EXPECT_EQ(message("1|2|unix|a|grpc|"), R"("a" is no path of a socket)");
  EXPECT_EQ(message("1|2|unix|/" + std::string(107, 'a') + "|grpc|").substr(0, 5), "\"/aaa");
  EXPECT_EQ(message("1|2|tcp|example.com:80|grpc|"), R"("example.com:80" is no port of this machine)");
  EXPECT_EQ(message("1|2|tcp|127.0.0.1:http|grpc|"), R"("127.0.0.1:http" is no port of this machine)");
  EXPECT_EQ(message("1|2|unix|/a|grpc|" + std::string(51, 'A')), "the plugin wants TLS, which it was not asked for");
  EXPECT_LT(message(std::string(100'000, 'x')).size(), 300U);
}

RC_GTEST_PROP(Handshake, WhatIsPrintedIsReadAgain, ()) {
  const auto tail = *rc::gen::container<std::string>(rc::gen::oneOf(rc::gen::inRange('a', 'z'), rc::gen::just('/')));
  const Handshake handshake{.network = Network::kUnix, .address = "/" + tail.substr(0, 100)};
  const auto read = parse_handshake(print_handshake(handshake));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == handshake);
}

RC_GTEST_PROP(Handshake, AnyLineIsReadOrRefused, (const std::string& line)) {
  const auto read = parse_handshake(line);
  RC_ASSERT(read.has_value() || read.error().code() == Code::kInvalid);
}

}  // namespace
}  // namespace landfall::plugin_protocol
