#include "sandbox/frontend.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/api_error.h"
#include "sandbox/discovery.h"
#include "sandbox/media_type.h"
#include "sandbox/output.h"
#include "sandbox_kinds/openapi.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::uint64_t kBodyLimit = std::uint64_t{3} << 20U;
constexpr std::string_view kOpenapiProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr std::string_view kDiscoveryType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

void send_json(http::Responder& responder, std::string body, std::string_view type = "application/json") {
  responder.send({.headers = {{"Content-Type", std::string(type)}, {"Cache-Control", "no-cache, private"}},
                  .body = std::move(body)});
}

void send_text(http::Responder& responder, int status, std::string body) {
  responder.send({.status = status,
                  .headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}},
                  .body = std::move(body)});
}

bool is_read(const http::Request& request) { return request.method == "GET" || request.method == "HEAD"; }

bool is_health(std::string_view path) {
  for (const std::string_view root : {"/healthz", "/livez", "/readyz"}) {
    if (path == root || (path.starts_with(root) && path[root.size()] == '/')) return true;
  }
  return false;
}

bool wants_aggregated(const http::Request& request) {
  for (const std::string_view header : request.headers.all("Accept")) {
    for (const MediaType& type : parse_accept(header)) {
      if (type.type != "application/json") continue;
      if (type.parameter("as") == "APIGroupDiscoveryList" && type.parameter("v") == "v2") return true;
      if (type.parameter("as").empty()) return false;
    }
  }
  return false;
}

bool wants_protobuf(const http::Request& request) {
  const auto accepted = request.headers.all("Accept");
  return std::ranges::any_of(accepted, [](std::string_view header) { return header.find("+protobuf") != header.npos; });
}

// The segments of /apis/<group>/<version>; nothing for any other path.
std::vector<std::string_view> api_segments(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with("/api")) return {};
  std::vector<std::string_view> out = split(path.substr(1), '/');
  return out;
}

}  // namespace

Frontend::Frontend(Parts parts)
    : parts_(parts), resources_(parts.api, parts.authenticator, parts.watches, parts.pool) {}

http::Admission Frontend::admit(const http::Request& head) const {
  const auto refuse = [](const Error& error) {
    return http::Admission{.refusal = http::Response{.status = http_status_of(error),
                                                     .headers = {{"Content-Type", "application/json"}},
                                                     .body = json::dump(status_document(error))}};
  };
  if (head.path != "/version" && !is_health(head.path) && !parts_.authenticator.user_of(head)) {
    return refuse(unauthorized());
  }
  if (const auto length = head.headers.get("Content-Length")) {
    if (const auto bytes = parse_uint64(*length); bytes && *bytes > kBodyLimit) {
      return refuse(entity_too_large("limit is " + std::to_string(kBodyLimit)));
    }
  }
  return {.body_bytes = kBodyLimit};
}

void Frontend::handle(http::Request request, const std::shared_ptr<http::Responder>& responder) {
  if (serve_public(request, *responder)) return;
  const std::optional<User> user = parts_.authenticator.user_of(request);
  if (!user) return send_error(unauthorized(), *responder);
  if (request.path == "/sandbox/faults") return serve_faults(request, *responder);
  const Faults::Verdict verdict = parts_.faults.next();
  const auto shared = std::make_shared<const http::Request>(std::move(request));
  if (verdict.delay <= Duration::zero()) {
    if (verdict.refusal) return send_error(*verdict.refusal, *responder);
    return serve(shared, *user, responder);
  }
  // Waiting holds a worker: fine for the few connections of a test.
  parts_.pool.resume([this, shared, user = *user, verdict, responder](const std::stop_token& stop) {
    if (!parts_.clock.sleep_for(verdict.delay, stop)) return;
    if (verdict.refusal) return send_error(*verdict.refusal, *responder);
    serve(shared, user, responder);
  });
}

void Frontend::serve(const std::shared_ptr<const http::Request>& request, const User& user,
                     const std::shared_ptr<http::Responder>& responder) {
  const KindSetPtr kinds = parts_.api.registry().kinds();
  if (is_read(*request) &&
      (serve_discovery(*request, *kinds, *responder) || serve_document(*request, *kinds, *responder))) {
    return;
  }
  const std::vector<std::string_view> segments = api_segments(request->path);
  if (segments.size() == 3 && segments[0] == "apis" && kinds->has_group(segments[1])) {
    return send_error(no_such_resource(), *responder);
  }
  const bool known =
      !segments.empty() && ((segments[0] == "api" && segments.size() > 2) ||
                            (segments[0] == "apis" && segments.size() > 3 && kinds->has_group(segments[1])));
  if (!known) return send_text(*responder, 404, "404 page not found\n");
  auto read = read_request(*kinds, *request);
  if (!read) return send_error(read.error(), *responder);
  if (!ResourceHandler::is_slow(*read)) return resources_.handle(*read, *request, user, kinds, responder);
  const auto held = std::make_shared<const ApiRequest>(*std::move(read));
  parts_.pool.resume([this, held, request, user, kinds, responder](const std::stop_token&) {
    resources_.handle(*held, *request, user, kinds, responder);
  });
}

bool Frontend::serve_public(const http::Request& request, http::Responder& responder) const {
  if (!is_read(request)) return false;
  if (is_health(request.path)) {
    send_text(responder, 200, "ok");
    return true;
  }
  if (request.path != "/version") return false;
  send_json(responder, json::dump_pretty(server_version()));
  return true;
}

bool Frontend::serve_discovery(const http::Request& request, const KindSet& kinds, http::Responder& responder) const {
  const std::vector<std::string_view> segments = api_segments(request.path);
  if (segments.empty()) return false;
  const bool is_core = segments[0] == "api";
  if (!is_core && segments[0] != "apis") return false;
  const std::size_t depth = segments.size() + (is_core ? 1 : 0);  // api/v1 stands where apis/group/version does
  if (segments.size() == 1) {
    if (wants_aggregated(request)) {
      const auto text = kinds.cached("aggregated/" + std::string(segments[0]),
                                     [&] { return json::dump(aggregated_discovery(kinds, is_core)); });
      send_json(responder, *text, kDiscoveryType);
    } else {
      send_json(responder, json::dump(is_core ? api_versions(address_) : api_group_list(kinds)));
    }
    return true;
  }
  std::optional<Json> document;
  if (depth == 2) document = api_group(kinds, segments[1]);
  if (depth == 3) document = api_resource_list(kinds, is_core ? "" : segments[1], segments[is_core ? 1 : 2]);
  if (!document) return false;
  send_json(responder, json::dump(*document));
  return true;
}

bool Frontend::serve_document(const http::Request& request, const KindSet& kinds, http::Responder& responder) const {
  const std::string& path = request.path;
  if (path == "/") {
    send_json(responder, json::dump(root_paths(kinds)));
    return true;
  }
  if (path == "/openapi/v2" && wants_protobuf(request)) {
    send_json(responder, openapi_v2_protobuf(), kOpenapiProtobuf);
    return true;
  }
  if (path == "/openapi/v2") {
    send_json(responder, *kinds.cached(path, [&] {
      const auto all = kinds.pointers();
      return json::dump(openapi_v2(all));
    }));
    return true;
  }
  if (path == "/openapi/v3") {
    send_json(responder, *kinds.cached(path, [&] {
      const auto all = kinds.pointers();
      return json::dump(openapi_v3_index(all));
    }));
    return true;
  }
  const auto below = strip_prefix(path, "/openapi/v3/");
  if (!below) return false;
  const auto all = kinds.pointers();
  // Only documents that exist are kept: the names come from outside.
  const auto document = openapi_v3_document(all, *below);
  if (!document) return false;
  send_json(responder, *kinds.cached(path, [&] { return json::dump(*document); }));
  return true;
}

void Frontend::serve_faults(const http::Request& request, http::Responder& responder) {
  if (request.method == "POST" || request.method == "PUT") {
    const auto body = json::parse(request.body);
    if (!body) return send_error(bad_request("faults: " + body.error().message()), responder);
    const auto plan = FaultPlan::from_json(*body);
    if (!plan) return send_error(bad_request("faults: " + plan.error().message()), responder);
    parts_.faults.set(*plan);
  } else if (!is_read(request)) {
    return send_error(method_not_allowed(), responder);
  }
  send_json(responder, json::dump(parts_.faults.plan().to_json()));
}

}  // namespace landfall::sandbox
