#include "http/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace landfall::http {
namespace {

// "/a/b/" and "/a/b" are {"a", "b"}; "/" is none.
std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  if (path.ends_with('/')) path.remove_suffix(1);
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

enum class Kind { kLiteral, kParameter, kWildcard };

struct Segment {
  Kind kind;
  std::string_view name;
};

Result<Segment> read_segment(std::string_view text) {
  if (text.empty()) return fail(Code::kInvalid, "has an empty segment");
  if (!text.starts_with('{')) {
    if (text.find_first_of("{}") == std::string_view::npos) return Segment{Kind::kLiteral, text};
    return fail(Code::kInvalid, fmt::format("segment \"{}\": a parameter is a whole segment", text));
  }
  if (!text.ends_with('}')) return fail(Code::kInvalid, fmt::format("segment \"{}\" has no closing brace", text));
  std::string_view name = text.substr(1, text.size() - 2);
  const bool wildcard = name.ends_with("...");
  if (wildcard) name.remove_suffix(3);
  if (name.empty() || name.find_first_of("{}") != std::string_view::npos) {
    return fail(Code::kInvalid, fmt::format("segment \"{}\" has no usable name", text));
  }
  return Segment{wildcard ? Kind::kWildcard : Kind::kParameter, name};
}

Result<std::vector<Segment>> read_pattern(std::string_view pattern) {
  if (!pattern.starts_with('/')) return fail(Code::kInvalid, "must begin with a slash");
  std::vector<Segment> segments;
  std::set<std::string_view> names;
  for (const std::string_view text : split(pattern)) {
    if (!segments.empty() && segments.back().kind == Kind::kWildcard) {
      return fail(Code::kInvalid, "a wildcard must be the last segment");
    }
    TRY_ASSIGN(const Segment segment, "", read_segment(text));
    if (segment.kind != Kind::kLiteral && !names.insert(segment.name).second) {
      return fail(Code::kInvalid, fmt::format("has two parameters called {}", segment.name));
    }
    segments.push_back(segment);
  }
  return segments;
}

}  // namespace

// A node stands for the segments on the way to it. Different patterns may call a parameter differently, so the names
// are kept with the route.
struct Router::Node {
  struct Leaf {
    Route route;
    std::vector<std::string> names;
  };

  std::map<std::string, std::shared_ptr<Node>, std::less<>> literals;
  std::shared_ptr<Node> parameter;
  std::map<std::string, Leaf, std::less<>> here;  // by method; the path ends at this node
  std::map<std::string, Leaf, std::less<>> rest;  // by method; a wildcard begins at this node
};

struct Router::Match {
  const Node::Leaf* leaf = nullptr;
  std::vector<std::string> values;
  std::set<std::string, std::less<>> allowed;  // methods of the patterns that fit; only without a leaf
};

// One walk over the table. A node is reached by one sequence of kinds only, hence at most once.
class Router::Search {
 public:
  Search(std::string_view method, std::vector<std::string_view> segments)
      : method_(method), segments_(std::move(segments)) {}

  bool walk(const Node& node, std::size_t at) {
    if (at == segments_.size()) {
      if (take(node.here)) return true;
    } else {
      if (const auto literal = node.literals.find(segments_[at]); literal != node.literals.end()) {
        if (walk(*literal->second, at + 1)) return true;
      }
      if (node.parameter) {
        match.values.emplace_back(segments_[at]);
        if (walk(*node.parameter, at + 1)) return true;
        match.values.pop_back();
      }
    }
    if (!take(node.rest)) return false;
    match.values.push_back(
        fmt::format("{}", fmt::join(segments_.begin() + static_cast<std::ptrdiff_t>(at), segments_.end(), "/")));
    return true;
  }

  Match match;

 private:
  bool take(const std::map<std::string, Node::Leaf, std::less<>>& leaves) {
    auto leaf = leaves.find(method_);
    if (leaf == leaves.end() && method_ == "HEAD") leaf = leaves.find("GET");
    if (leaf != leaves.end()) {
      match.leaf = &leaf->second;
      return true;
    }
    for (const auto& [method, other] : leaves) {
      match.allowed.insert(method);
      if (method == "GET") match.allowed.insert("HEAD");
    }
    return false;
  }

  std::string_view method_;
  std::vector<std::string_view> segments_;
};

Result<Router> Router::make(std::vector<Route> routes) {
  const auto root = std::make_shared<Node>();
  for (Route& route : routes) {
    const std::string called = fmt::format("route {} {}", route.method, route.pattern);
    if (!is_token(route.method)) return fail(Code::kInvalid, called + ": the method is not a token");
    TRY_ASSIGN(const std::vector<Segment> segments, called, read_pattern(route.pattern));
    Node* node = root.get();
    bool wildcard = false;
    std::vector<std::string> names;
    for (const Segment& segment : segments) {
      if (segment.kind != Kind::kLiteral) names.emplace_back(segment.name);
      wildcard = segment.kind == Kind::kWildcard;
      if (wildcard) break;
      std::shared_ptr<Node>& next =
          segment.kind == Kind::kLiteral ? node->literals[std::string(segment.name)] : node->parameter;
      if (!next) next = std::make_shared<Node>();
      node = next.get();
    }
    auto& leaves = wildcard ? node->rest : node->here;
    if (leaves.contains(route.method))
      return fail(Code::kAlreadyExists, called + ": another route takes the same requests");
    std::string method = route.method;
    leaves.emplace(std::move(method), Node::Leaf{std::move(route), std::move(names)});
  }
  return Router(root);
}

Router::Match Router::find(const Request& request) const {
  if (!request.path.starts_with('/')) return {};
  Search search(request.method, split(request.path));
  search.walk(*root_, 0);
  return std::move(search.match);
}

void Router::operator()(Request request, std::shared_ptr<Responder> responder) const {
  Match match = find(request);
  if (match.leaf != nullptr) {
    responder->set_route(match.leaf->route.pattern);
    request.parameters.reserve(match.values.size());
    for (std::size_t i = 0; i < match.values.size(); ++i) {
      request.parameters.emplace_back(match.leaf->names[i], std::move(match.values[i]));
    }
    match.leaf->route.handler(std::move(request), std::move(responder));
    return;
  }
  if (match.allowed.empty()) {
    responder->send(error_answer(404, "there is nothing at this path"));
    return;
  }
  Response response = error_answer(405, fmt::format("this path does not take {}", request.method));
  response.headers.add("Allow", fmt::format("{}", fmt::join(match.allowed, ", ")));
  responder->send(std::move(response));
}

std::uint64_t Router::body_bytes(const Request& head, std::uint64_t fallback) const {
  const Match match = find(head);
  return match.leaf != nullptr ? match.leaf->route.body_bytes.value_or(fallback) : fallback;
}

}  // namespace landfall::http
