#include "kube/pod_logs.h"

#include <tuple>
#include <utility>

#include "k8s/rest_path.h"

namespace landfall::kube {
namespace {

constexpr Duration kSilence = std::chrono::minutes(1);

Result<io::QueryParameters> query_of(const LogRequest& request) {
  io::QueryParameters query;
  if (!request.container.empty()) {
    query.emplace_back("container", request.container);
  }
  for (const auto& [name, is_set] :
       {std::pair{"follow", request.follow}, {"previous", request.previous}, {"timestamps", request.timestamps}}) {
    if (is_set) {
      query.emplace_back(name, "true");
    }
  }
  for (const auto& [name, value, least] : {std::tuple{"tailLines", request.tail_lines, 0},
                                           {"sinceSeconds", request.since_seconds, 1},
                                           {"limitBytes", request.limit_bytes, 1}}) {
    if (!value) {
      continue;
    }
    if (*value < least) {
      return fail(Code::kInvalid, std::string(name) + ": must be at least " + std::to_string(least));
    }
    query.emplace_back(name, std::to_string(*value));
  }
  return query;
}

}  // namespace

Status read_pod_log(Client& client, const LogRequest& request,
                    const std::function<Result<bool>(std::string_view)>& on_bytes, const std::stop_token& stop) {
  const std::string context = "log of pod " + request.name_space + "/" + request.pod;
  TRY_ASSIGN(
      const std::string path, context,
      k8s::object_path({.group = "", .version = "v1", .resource = "pods"}, request.name_space, request.pod, "log"));
  TRY_ASSIGN(io::QueryParameters query, context, query_of(request));
  const Call call{.path = path, .query = std::move(query), .accept = "application/json, */*"};
  TRY(context, client.stream(call, request.follow ? Duration::max() : kSilence, on_bytes, stop));
  return {};
}

}  // namespace landfall::kube
