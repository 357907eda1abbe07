#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

// What host and plugin must agree on before the first call: go-plugin's handshake as Velero uses it.
namespace landfall::plugin_protocol {

// Tells a program that it was started as a plugin.
inline constexpr std::string_view kCookieName = "VELERO_PLUGIN";
inline constexpr std::string_view kCookieValue = "hello";

inline constexpr int kCoreVersion = 1;
inline constexpr int kAppVersion = 2;
inline constexpr std::string_view kVersionsName = "PLUGIN_PROTOCOL_VERSIONS";  // of the host, "2"
inline constexpr std::string_view kMinPortName = "PLUGIN_MIN_PORT";
inline constexpr std::string_view kMaxPortName = "PLUGIN_MAX_PORT";
inline constexpr std::string_view kSocketDirName = "PLUGIN_UNIX_SOCKET_DIR";
// A plugin that sees one of these speaks TLS, or several protocols on one connection: we do neither.
inline constexpr std::string_view kClientCertName = "PLUGIN_CLIENT_CERT";
inline constexpr std::string_view kMultiplexName = "PLUGIN_MULTIPLEX_GRPC";

// The longest first line that a host reads.
inline constexpr std::size_t kLongestHandshake = 64UL * 1024;

enum class Network { kUnix, kTcp };

// Where a plugin listens, as it says in the first line of its standard output: "1|2|unix|/tmp/plugin2417586093|grpc|".
struct Handshake {
  Network network = Network::kUnix;
  std::string address;  // a path, or "ip:port"

  friend bool operator==(const Handshake&, const Handshake&) = default;
};

// As gRPC wants it: "unix:/tmp/plugin1", "ipv4:127.0.0.1:1234".
std::string channel_target(const Handshake& handshake);

// Without its line end. kInvalid says what is wrong with it; what the line holds may be anything.
Result<Handshake> parse_handshake(std::string_view line);
// With its line end.
std::string print_handshake(const Handshake& handshake);

}  // namespace landfall::plugin_protocol
