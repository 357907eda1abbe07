#include "cli/find_objects.h"

#include <fmt/format.h>

#include <utility>

#include "base/quote.h"
#include "cli/nearest.h"
#include "json/json.h"
#include "k8s/label_selector.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using json::Json;

Error explained(const Error& error, const Context& context) {
  // A list is never missing by itself: the kind is.
  if (error.code() != Code::kNotFound) return error;
  return Error(Code::kNotFound, "the cluster does not know Velero's resources (velero.io): run '" + context.program +
                                    " install' first, or choose another cluster with --kubecontext");
}

Error ObjectFinder::not_found(const std::string& name) const {
  const auto all = resource_.list({}, context_.stop);
  if (!all) return explained(all.error(), context_);
  std::vector<std::string> names;
  names.reserve(all->items.size());
  for (const Json& one : all->items) names.emplace_back(k8s::ObjectView(one).name());
  // "not found" is what scripts look for in Velero's message.
  std::string text =
      fmt::format("{} {} not found in namespace {}", noun_.word, quote(name), quote(resource_.name_space()));
  if (names.empty()) return Error(Code::kNotFound, text + ": there are no " + std::string(noun_.plural));
  if (const auto meant = nearest(name, names))
    return Error(Code::kNotFound, text + ": did you mean " + quote(*meant) + "?");
  return Error(Code::kNotFound,
               fmt::format("{}: '{} {} get' shows those that are there", text, context_.program, noun_.word));
}

Result<Json> ObjectFinder::one(const std::string& name) const {
  auto found = resource_.get(name, context_.stop);
  if (!found && found.error().code() == Code::kNotFound) return tl::unexpected(not_found(name));
  if (!found) return fail(fmt::format("{} {}", noun_.word, name), std::move(found).error());
  return found;
}

Result<std::vector<Json>> ObjectFinder::some(const std::vector<std::string>& names, const std::string& selector) const {
  std::vector<Json> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    TRY_ASSIGN(Json object, "", one(name));
    found.push_back(std::move(object));
  }
  if (!names.empty()) return found;
  TRY_ASSIGN(const auto parsed, "--selector", k8s::LabelSelector::parse(selector));
  auto all = resource_.list({.label_selector = parsed.to_string()}, context_.stop);
  if (!all) return fail("list " + std::string(noun_.plural), explained(all.error(), context_));
  return std::move(all->items);
}

}  // namespace landfall::cli
