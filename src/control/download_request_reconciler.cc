#include "control/download_request_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <variant>

#include "api/artifact_route.h"
#include "api/status.h"
#include "base/quote.h"
#include "control/artifact_endpoint.h"
#include "control/change.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;
using kube::Reconciled;

namespace {

// The text at the path, "" when there is no such object.
Result<std::string> text_of(const kube::Resource& resource, const std::string& name, const json::Path& path,
                            const std::stop_token& stop) {
  if (name.empty()) return std::string();
  auto object = resource.get(name, stop);
  if (!object && object.error().code() == Code::kNotFound) return std::string();
  if (!object) return fail("", std::move(object).error());
  return json::string_or(*object, path, "");
}

}  // namespace

Result<Reconciled> DownloadRequestReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  const kube::Resource requests = context_.objects(api::kDownloadRequest);
  auto found = requests.get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return Reconciled{};
  TRY_ASSIGN(Json request, "", std::move(found));
  const k8s::ObjectView view(request);
  if (view.is_being_deleted()) return Reconciled{};

  const WallTime now = context_.clock.wall_now();
  const auto expires = api::status_time(request, api::field::kExpiration);
  // Whether it was answered or not: nobody waits for it any more.
  if (expires && *expires <= now) {
    const auto removed = requests.remove(name.name, stop, {.uid = std::string(view.uid())});
    if (!removed && removed.error().code() != Code::kNotFound) {
      return fail("delete download request " + name.name, removed.error());
    }
    return Reconciled{};
  }
  const bool is_answered = api::phase_of<api::RequestPhase>(request) == api::RequestPhase::kProcessed;
  if (expires && is_answered) return Reconciled{.again_after = *expires - now};

  // An end it gets in any case: one that can never be answered must go, too.
  const Json before = request;
  if (!expires) TRY("", api::set_status_time(request, api::field::kExpiration, now + settings_.valid_for));
  const Status answered = is_answered ? Status() : answer(request, stop);
  TRY("", write_change(requests, before, request, stop));
  TRY("download request " + name.name, answered);
  return Reconciled{.again_after = settings_.valid_for};
}

Status DownloadRequestReconciler::answer(Json& request, const std::stop_token& stop) const {
  const std::string name = json::string_or(request, {"spec", "target", "name"}, "");
  const std::string kind = json::string_or(request, {"spec", "target", "kind"}, "");
  const auto target = api::parse_name<api::DownloadTarget>(kind);
  if (!target) return fail(Code::kUnsupported, fmt::format("there is no target {}", quote(kind)));
  // Not only that there is no such thing: it would make an address of any length.
  if (const auto problems = k8s::dns1123_subdomain_problems(name); !problems.empty()) {
    return fail(Code::kInvalid, "spec.target.name: " + k8s::joined(problems));
  }
  const std::string what = fmt::format("{} of {}", kind, quote(name));
  TRY_ASSIGN(std::string location, what, location_of(*target, name, stop));
  // Addresses end with the request, not before.
  const ArtifactGrant grant{.target = *target,
                            .name = name,
                            .location = std::move(location),
                            .expires = context_.clock.wall_now() + settings_.valid_for};
  TRY_ASSIGN(const std::string url, what, url_of(grant, stop));
  if (!settings_.pod.empty()) {
    TRY("", api::set_artifact_route(request, {.pod = settings_.pod,
                                              .port = settings_.endpoint_port,
                                              .path = std::string(kArtifactPath),
                                              .token = tokens_.issue(grant)}));
  }
  TRY("", api::set_status_text(request, api::field::kDownloadUrl, url));
  TRY("", api::set_phase(request, api::RequestPhase::kProcessed));
  return api::set_status_time(request, api::field::kExpiration, context_.clock.wall_now() + settings_.valid_for);
}

Result<std::string> DownloadRequestReconciler::url_of(const ArtifactGrant& grant, const std::stop_token& stop) const {
  const bool has_endpoint = !settings_.endpoint_url.empty();
  const bool is_running = is_log(grant.target) && context_.running.log(kind_of(grant.target), grant.name) != nullptr;
  if (!is_running || !has_endpoint) {
    auto url = sign(grant, stop);
    if (url) return url;
    if (!has_endpoint || is_retryable(url.error().code()) || url.error().code() == Code::kCancelled) {
      return fail("", std::move(url).error());
    }
  }
  return artifact_url(settings_.endpoint_url, tokens_.issue(grant));
}

Result<std::string> DownloadRequestReconciler::location_of(api::DownloadTarget target, const std::string& name,
                                                           const std::stop_token& stop) const {
  std::string backup = name;
  if (kind_of(target) == api::kRestore) {
    TRY_ASSIGN(backup, "", text_of(context_.objects(api::kRestore), name, {"spec", "backupName"}, stop));
  }
  if (backup.empty()) return std::string();
  auto object = context_.objects(api::kBackup).get(backup, stop);
  if (!object && object.error().code() == Code::kNotFound) return std::string();
  if (!object) return fail("", std::move(object).error());
  std::string location = json::string_or(*object, {"spec", "storageLocation"}, "");
  // Nobody has looked at that Backup yet: what a client wants to see of it is not there, and this is where.
  if (location.empty()) return default_location(stop);
  return location;
}

Result<std::string> DownloadRequestReconciler::default_location(const std::stop_token& stop) const {
  const auto all = context_.locations.all(stop);
  if (!all && all.error().code() == Code::kInvalid) return std::string();
  if (!all) return fail("", all.error());
  const auto found = std::ranges::find_if(*all, [](const FoundLocation& one) { return one.view.is_default; });
  return found == all->end() ? std::string() : found->name;
}

Result<std::string> DownloadRequestReconciler::sign(const ArtifactGrant& grant, const std::stop_token& stop) const {
  if (grant.location.empty()) return fail(Code::kNotFound, "there is no such object, or it has no storage location");
  TRY_ASSIGN(const FoundLocation found, "", context_.locations.find(grant.location, stop));
  if (is_kept_in_cluster(grant.target, found)) {
    return fail(Code::kUnsupported, "what is kept in the cluster has no address of a store");
  }
  TRY_ASSIGN(const auto opened, "", context_.locations.open(found, stop));
  return std::visit(
      [&](auto artifact) { return opened->backups().signed_url(grant.name, artifact, settings_.valid_for, stop); },
      artifact_of(grant.target));
}

}  // namespace landfall::control
