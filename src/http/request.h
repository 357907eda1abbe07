#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/headers.h"
#include "http/target.h"

namespace landfall::http {

// Who a client certificate says the client is; its chain was checked against the client CA. Kubernetes reads the common
// name as the user and the organizations as the groups.
struct ClientIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string fingerprint;  // SHA-256 of the certificate, in hex
};

// Where a request came from.
struct Peer {
  std::string address;  // "127.0.0.1", "::1"
  std::uint16_t port = 0;
  std::shared_ptr<const ClientIdentity> identity;  // null without a client certificate
};

// One request, complete with its body. A plain value that belongs to the handler.
struct Request {
  std::string method;     // "GET"; never empty
  std::string target;     // as sent
  std::string raw_path;   // of the target, as sent
  std::string path;       // decoded and safe (see decode_path); "*" for `OPTIONS *`
  std::string raw_query;  // as sent, without the question mark
  Query query;
  Headers headers;
  std::string body;
  Peer peer;
  int version_minor = 1;  // of HTTP/1.x

  // What the router read from the path.
  std::vector<std::pair<std::string, std::string>> parameters;

  // A path parameter of the route; empty when it has no such parameter.
  std::string_view parameter(std::string_view name) const {
    for (const auto& [known, value] : parameters) {
      if (known == name) return value;
    }
    return {};
  }
};

}  // namespace landfall::http
