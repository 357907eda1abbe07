#include "server/crd_check.h"

#include <chrono>
#include <string>
#include <vector>

#include "api/definitions.h"
#include "api/names.h"
#include "base/clock.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::server {
namespace {

using json::Json;

const k8s::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
constexpr std::string_view kRemedy = "`landfall install --crds-only`";
constexpr Duration kPatience = std::chrono::minutes(1);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(500);

// What is wrong with the definitions in the cluster.
struct Findings {
  std::vector<std::string> missing;  // kinds of Velero's
  std::vector<std::string> lost;     // "backups.velero.io: status.progress.step", or a kind of ours
  std::vector<std::string> unestablished;
};

bool serves(const Json& definition, std::string_view version) {
  const Json* versions = json::find(definition, {"spec", "versions"});
  if (versions == nullptr || !versions->is_array()) return false;
  for (const Json& one : *versions) {
    if (json::string_or(one, {"name"}, "") == version) return json::bool_or(one, {"served"}, false);
  }
  return false;
}

void note(const api::Kind& kind, const Json& definition, Findings& findings) {
  if (const auto fields = api::missing_fields(definition); !fields.empty()) {
    findings.lost.push_back(kind.definition() + " (" + join(fields, ", ") + ")");
  }
  if (!k8s::ObjectView(definition).is_condition_true("Established"))
    findings.unestablished.push_back(kind.definition());
}

// One by one: a cluster may have hundreds of definitions, with tens of megabytes of schemas.
Result<Findings> look(kube::Client& client, const std::stop_token& stop) {
  const kube::Resource definitions(client, kDefinitions);
  Findings findings;
  for (const api::Kind& kind : api::kAllKinds) {
    const auto found = definitions.get(kind.definition(), stop);
    if (!found && found.error().code() != Code::kNotFound) return tl::unexpected(found.error());
    if (found && serves(*found, kind.version)) {
      note(kind, *found, findings);
    } else {
      auto& list = api::is_landfalls_own(kind) ? findings.lost : findings.missing;
      list.push_back(kind.definition());
    }
  }
  return findings;
}

void warn_of(const std::vector<std::string>& lost, const Logger& log) {
  if (lost.empty()) return;
  log.warning(
      "the custom resource definitions in the cluster are not those of this Landfall: it works, but these kinds are "
      "missing, and these fields are dropped without a word, live progress among them; " +
          std::string(kRemedy) + " mends that and loses nothing",
      {{"missing", join(lost, "; ")}});
}

}  // namespace

Status check_definitions(kube::Client& client, const Logger& log, const std::stop_token& stop) {
  Clock& clock = client.clock();
  const SteadyTime deadline = clock.after(kPatience);
  for (bool is_first = true;; is_first = false) {
    const auto findings = look(client, stop);
    if (!findings && findings.error().code() == Code::kForbidden) {
      log.warning(
          "the custom resource definitions cannot be checked: whether all of them are there, and keep the "
          "fields that Landfall adds, is not known",
          {LogField(findings.error())});
      return {};
    }
    if (!findings) return fail("check the custom resource definitions", findings.error());
    if (!findings->missing.empty()) {
      return fail(Code::kNotFound, "the cluster lacks these custom resource definitions: " +
                                       join(findings->missing, ", ") + "; install them with " + std::string(kRemedy));
    }
    if (findings->unestablished.empty()) {
      warn_of(findings->lost, log);
      return {};
    }
    const std::string waited_for = join(findings->unestablished, ", ");
    if (clock.now() >= deadline) {
      return fail(Code::kTimeout,
                  "the API server has not established these custom resource definitions in time: " + waited_for);
    }
    if (is_first) log.info("waiting for custom resource definitions", {{"definitions", waited_for}});
    if (!clock.sleep_for(kBetweenLooks, stop)) return fail(Code::kCancelled, "stopped");
  }
}

}  // namespace landfall::server
