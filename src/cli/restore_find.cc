#include "cli/restore_find.h"

#include <utility>

#include "base/strings.h"
#include "json/json.h"
#include "k8s/label_selector.h"

namespace landfall::cli {

using json::Json;

Result<Json> find_restore(const kube::Resource& restores, const std::string& name, const std::stop_token& stop) {
  auto found = restores.get(name, stop);
  if (!found && found.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, "there is no restore " + quote(name) + " in namespace " +
                                     quote(restores.name_space()) + ": 'landfall restore get' shows those that are");
  }
  if (!found) return fail("restore " + name, std::move(found).error());
  return found;
}

Result<std::vector<Json>> find_restores(const kube::Resource& restores, const std::vector<std::string>& names,
                                        const std::string& selector, const std::stop_token& stop) {
  std::vector<Json> found;
  for (const std::string& name : names) {
    TRY_ASSIGN(Json restore, "", find_restore(restores, name, stop));
    found.push_back(std::move(restore));
  }
  if (!names.empty()) return found;
  TRY_ASSIGN(const auto parsed, "--selector", k8s::LabelSelector::parse(selector));
  TRY_ASSIGN(kube::ObjectList all, "list restores", restores.list({.label_selector = parsed.to_string()}, stop));
  return std::move(all.items);
}

}  // namespace landfall::cli
