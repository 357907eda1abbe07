#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/responder.h"

namespace landfall::http {

// One entry of the routing table.
struct Route {
  std::string method;   // "GET"
  std::string pattern;  // "/backups/{name}/logs", "/files/{path...}"
  Handler handler;
  std::optional<std::uint64_t> body_bytes;  // the largest body, where the server's default does not fit
};

// Finds the handler for a request by its method and path.
//
// A pattern is a list of segments: a literal, a parameter {name} that takes one segment, or at the end a wildcard
// {name...} that takes the rest, also when it is empty. At each segment a literal goes before a parameter and a
// parameter before a wildcard; a pattern that does not have the method gives way to a less specific one that has.
// A trailing slash of the request makes no difference. HEAD falls back to GET. A path that no pattern fits is answered
// with 404, one that fits only with other methods with 405 and Allow.
// A match looks at each node of the table at most once. Immutable, cheap to copy, thread-safe; a Router is a Handler.
class Router {
 public:
  // kInvalid for a pattern that cannot be read, kAlreadyExists for two routes that take the same requests.
  static Result<Router> make(std::vector<Route> routes);

  void operator()(Request request, std::shared_ptr<Responder> responder) const;

  // The largest body for a request of which the head is known; for ServerOptions::admit.
  std::uint64_t body_bytes(const Request& head, std::uint64_t fallback) const;

 private:
  struct Node;
  struct Match;
  class Search;
  explicit Router(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  Match find(const Request& request) const;

  std::shared_ptr<const Node> root_;
};

}  // namespace landfall::http
