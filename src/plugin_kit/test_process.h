#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "io/process_spawn.h"
#include "plugin_protocol/handshake.h"
#include "testkit/temp_dir.h"

// For tests: a plugin's process as a host sees it, with nothing in between.
namespace landfall::plugin_kit {

class TestProcess {
 public:
  // `program` is beside the test.
  explicit TestProcess(const std::string& program, std::vector<std::string> arguments = {},
                       std::map<std::string, std::string> environment = {}) {
    spec_.argv = {(std::filesystem::read_symlink("/proc/self/exe").parent_path() / program).string()};
    spec_.argv.insert(spec_.argv.end(), arguments.begin(), arguments.end());
    spec_.env = {{"VELERO_PLUGIN", "hello"}, {"PLUGIN_UNIX_SOCKET_DIR", directory_.path()}};
    for (auto& [name, value] : environment) spec_.env[name] = value;
    child_ = io::spawn(spec_).value();
  }
  ~TestProcess() {
    if (is_reaped_) return;  // its id may be another's by now
    ::kill(child_.pid, SIGKILL);
    static_cast<void>(io::reap(child_.pid, result_));
  }
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;

  pid_t pid() const { return child_.pid; }
  std::string command() const { return spec_.argv.front(); }
  const std::filesystem::path& directory() const { return directory_.path(); }

  // The first line that it prints.
  std::string line() {
    while (out_.find('\n') == std::string::npos && read(child_.out, out_)) {
    }
    return out_.substr(0, out_.find('\n'));
  }
  std::shared_ptr<grpc::Channel> channel() {
    if (channel_) return channel_;
    const auto handshake = plugin_protocol::parse_handshake(line());
    EXPECT_TRUE(handshake) << line() << err_;
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(plugin_protocol::channel_target(handshake.value()),
                                         grpc::InsecureChannelCredentials(), arguments);
    return channel_;
  }
  // What it has logged, once that holds the text.
  const std::string& logged(const std::string& text) {
    while (err_.find(text) == std::string::npos && read(child_.err, err_)) {
    }
    EXPECT_NE(err_.find(text), std::string::npos) << err_;
    return err_;
  }
  // Waits until it has ended by itself.
  io::ProcessResult ended() {
    pollfd exited{.fd = child_.exited.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&exited, 1, kPatience), 1) << "it does not end";
    if (exited.revents == 0) ::kill(child_.pid, SIGKILL);
    EXPECT_TRUE(io::reap(child_.pid, result_));
    is_reaped_ = true;
    while (read(child_.err, err_)) {
    }
    return result_;
  }
  const std::string& err() const { return err_; }

 private:
  static constexpr int kPatience = 100'000;

  // False at the end, or when nothing comes for very long.
  static bool read(const io::Descriptor& from, std::string& to) {
    pollfd event{.fd = from.get(), .events = POLLIN, .revents = 0};
    if (::poll(&event, 1, kPatience) != 1) return false;
    std::array<char, 65536> buffer{};
    const auto size = io::read_descriptor(from.get(), buffer);
    if (!size || *size == 0) return false;
    to.append(buffer.data(), *size);
    return true;
  }

  const testkit::TempDir directory_;
  io::ProcessSpec spec_;
  io::Child child_;
  io::ProcessResult result_;
  bool is_reaped_ = false;
  std::string out_;
  std::string err_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace landfall::plugin_kit
