#include "cli/artifact_route.h"

#include <chrono>

#include "io/stream.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/api_status.h"
#include "kube/resource.h"
#include "kube/service_proxy.h"

namespace landfall::cli {

namespace {

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr std::size_t kErrorBody = std::size_t{64} * 1024;
constexpr Duration kConnect = std::chrono::seconds(8);
constexpr std::size_t kMostCandidates = 5;

std::string beginning_of(io::Reader& body) {
  std::string text;
  std::string piece(4096, '\0');
  while (text.size() < kErrorBody) {
    const auto got = body.read(std::span(piece.data(), piece.size()));
    if (!got || *got == 0) break;
    text.append(piece, 0, *got);
  }
  return text;
}

}  // namespace

// Who said no.
struct ArtifactProxy::Refusal {
  bool is_without_pod = false;  // the API server: there is no such pod
  bool is_of_endpoint = false;  // the server behind it
};

Result<std::unique_ptr<io::HttpDownload>> ArtifactProxy::ask(const std::string& pod, const api::ArtifactRoute& route,
                                                             const Terms& terms, Refusal& refusal) const {
  const kube::ProxyTarget target{.kind = kube::ProxyTarget::Kind::kPod,
                                 .name_space = name_space_,
                                 .name = pod,
                                 .port = std::to_string(route.port)};
  TRY_ASSIGN(const std::string path, "", kube::proxy_path(target, route.path));
  io::QueryParameters query{{"token", route.token}};
  if (terms.follows) query.emplace_back("follow", "true");
  kube::Connection& connection = client_.connection();
  for (bool is_second = false;; is_second = true) {
    TRY_ASSIGN(const auto identity, "", connection.identity(context_.stop, terms.head_deadline));
    const io::HttpRequest request{.url = connection.server() + path + "?" + io::build_query(query),
                                  .headers = identity->headers,
                                  .head_deadline = terms.head_deadline,
                                  .connect_timeout = kConnect,
                                  .idle_timeout = terms.idle};
    auto answer = identity->http->open(request, context_.stop);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const io::HttpHead& head = (*answer)->head();
    if (head.status == kOk) return *std::move(answer);
    if (head.status == kUnauthorized && !is_second && connection.reject(identity)) continue;
    Error error = kube::error_from(head.status, head.headers, beginning_of(**answer));
    const auto* status = error.detail<kube::ApiStatus>();
    // What has a reason comes from Kubernetes: the endpoint answers in plain words.
    refusal.is_of_endpoint = status == nullptr || status->reason.empty();
    refusal.is_without_pod = !refusal.is_of_endpoint && error.code() == Code::kNotFound;
    return tl::unexpected(std::move(error));
  }
}

std::vector<std::string> ArtifactProxy::candidates() const {
  const kube::Resource pods(client_, {"", "v1", "pods"}, name_space_);
  const auto found = pods.list({.label_selector = "component=velero,deploy=velero"}, context_.stop);
  std::vector<std::string> names;
  if (!found) return names;
  for (const json::Json& pod : found->items) {
    if (json::string_or(pod, {"status", "phase"}, "") == "Running" && names.size() < kMostCandidates) {
      names.emplace_back(k8s::ObjectView(pod).name());
    }
  }
  return names;
}

Result<std::unique_ptr<io::HttpDownload>> ArtifactProxy::open(const api::ArtifactRoute& route,
                                                              const Terms& terms) const {
  Refusal refusal;
  auto answer = ask(route.pod, route, terms, refusal);
  if (!answer && refusal.is_without_pod) {
    for (const std::string& pod : candidates()) {
      auto other = ask(pod, route, terms, refusal);
      const bool is_foreign = !other && refusal.is_of_endpoint && other.error().code() == Code::kForbidden;
      // Another replica cannot read the token: the next one may.
      if (is_foreign || (!other && refusal.is_without_pod)) continue;
      answer = std::move(other);
      break;
    }
  }
  if (answer || answer.error().code() == Code::kCancelled) return answer;
  if (refusal.is_of_endpoint && answer.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, "there is no such file");
  }
  return fail(Code::kUnavailable, "pod " + route.pod + ": " + answer.error().message());
}

}  // namespace landfall::cli
