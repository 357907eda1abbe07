#include "plugin_protocol/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace landfall::plugin_protocol {
namespace {

constexpr std::size_t kLongestShown = 120;
constexpr std::size_t kLongestPath = 107;  // sun_path, with its end
// go-plugin takes what is longer for a certificate.
constexpr std::size_t kLongestWithoutCertificate = 50;

std::string shown(std::string_view text) {
  const bool is_cut = text.size() > kLongestShown;
  return quote(to_valid_utf8(text.substr(0, kLongestShown))) + (is_cut ? "…" : "");
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t bar = line.find('|');
    fields.push_back(line.substr(0, bar));
    if (bar == std::string_view::npos) return fields;
    line.remove_prefix(bar + 1);
  }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// A port of this machine, by number: a name would be looked up, and a plugin has no business elsewhere.
bool is_loopback(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  const bool is_number =
      !port.empty() && port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  return is_number && (host == "127.0.0.1" || host == "[::1]");
}

}  // namespace

std::string channel_target(const Handshake& handshake) {
  if (handshake.network == Network::kUnix) return "unix:" + handshake.address;
  return (handshake.address.starts_with('[') ? "ipv6:" : "ipv4:") + handshake.address;
}

Result<Handshake> parse_handshake(std::string_view line) {
  line = trim(line);
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() < 4) {
    return fail(Code::kInvalid,
                fmt::format("the first line is {}, not a handshake (\"1|2|unix|PATH|grpc|\")", shown(line)));
  }
  if (fields[0] != fmt::format("{}", kCoreVersion)) {
    return fail(Code::kInvalid, fmt::format("go-plugin's protocol {} is not {}", shown(fields[0]), kCoreVersion));
  }
  if (fields[1] != fmt::format("{}", kAppVersion)) {
    return fail(Code::kInvalid, fmt::format("the plugin's protocol {} is not {}", shown(fields[1]), kAppVersion));
  }
  if (fields.size() < 5 || fields[4] != "grpc") {
    return fail(Code::kInvalid, fmt::format("the plugin does not speak gRPC but {}",
                                            fields.size() < 5 ? std::string("net/rpc") : shown(fields[4])));
  }
  if (fields.size() > 5 && fields[5].size() > kLongestWithoutCertificate) {
    return fail(Code::kInvalid, "the plugin wants TLS, which it was not asked for");
  }
  Handshake handshake{.address = std::string(fields[3])};
  if (fields[2] == "unix") {
    if (fields[3].empty() || fields[3].front() != '/' || fields[3].size() > kLongestPath ||
        std::ranges::any_of(fields[3], is_control)) {
      return fail(Code::kInvalid, fmt::format("{} is no path of a socket", shown(fields[3])));
    }
    return handshake;
  }
  if (fields[2] == "tcp") {
    handshake.network = Network::kTcp;
    if (!is_loopback(fields[3])) {
      return fail(Code::kInvalid, fmt::format("{} is no port of this machine", shown(fields[3])));
    }
    return handshake;
  }
  return fail(Code::kInvalid, fmt::format("the network {} is neither unix nor tcp", shown(fields[2])));
}

std::string print_handshake(const Handshake& handshake) {
  return fmt::format("{}|{}|{}|{}|grpc|\n", kCoreVersion, kAppVersion,
                     handshake.network == Network::kUnix ? "unix" : "tcp", handshake.address);
}

}  // namespace landfall::plugin_protocol
