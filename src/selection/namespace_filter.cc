#include "selection/namespace_filter.h"

#include <algorithm>

#include "base/strings.h"
#include "selection/item_facts.h"

namespace landfall::selection {
namespace {

bool needs_expansion(const Names& includes, const Names& excludes) {
  const auto is_star = [](const std::string& name) { return name == "*"; };
  return !includes.empty() && std::ranges::none_of(includes, is_star) &&
         (std::ranges::any_of(includes, has_wildcard) || std::ranges::any_of(excludes, has_wildcard));
}

// Plain names stay, patterns become the namespaces that they match now.
Result<Names> expand(const Names& names, const std::vector<LiveNamespace>& live) {
  std::set<std::string> found;
  for (const std::string& name : names) {
    if (!has_wildcard(name)) {
      found.insert(name);
      continue;
    }
    TRY_ASSIGN(const Glob glob, "namespace", Glob::compile(name));
    for (const LiveNamespace& one : live) {
      if (glob.matches(one.name)) {
        found.insert(one.name);
      }
    }
  }
  return Names(found.begin(), found.end());
}

}  // namespace

Result<NamespaceFilter> NamespaceFilter::make(const Names& includes, const Names& excludes,
                                              const std::vector<LiveNamespace>& live) {
  NamespaceFilter filter;
  for (const LiveNamespace& one : live) {
    if (one.has_exclude_label) {
      filter.labelled_.insert(one.name);
    }
  }
  Names in = includes;
  Names out;
  // The labelled ones are in the list too once the Backup was completed; what the label does, the user did not ask for.
  std::ranges::remove_copy_if(excludes, std::back_inserter(out),
                              [&](const std::string& name) { return filter.labelled_.contains(name); });
  if (needs_expansion(in, out)) {
    filter.was_expanded_ = true;
    TRY_ASSIGN(in, "", expand(in, live));
    TRY_ASSIGN(out, "", expand(out, live));
  }
  TRY_ASSIGN(filter.lists_, "namespaces", IncludesExcludes::make(in, out));
  std::set<std::string_view> there;
  for (const LiveNamespace& one : live) {
    there.insert(one.name);
  }
  for (const std::string& name : filter.lists_.includes().patterns()) {
    if (name != "*" && !there.contains(name)) {
      filter.missing_.push_back(name);
    }
  }
  filter.is_everything_ =
      (filter.lists_.is_everything() && !(filter.was_expanded_ && in.empty())) || filter.covers(live);
  return filter;
}

bool NamespaceFilter::covers(const std::vector<LiveNamespace>& live) const {
  if (!lists_.excludes().empty() || lists_.includes().empty() || !missing_.empty()) {
    return false;
  }
  return std::ranges::all_of(
      live, [&](const LiveNamespace& one) { return one.has_exclude_label || lists_.includes().has(one.name); });
}

Verdict NamespaceFilter::ask(std::string_view name) const {
  if (labelled_.contains(name)) {
    return Verdict::out(Reason::kExcludedByLabel, "namespace " + quote(name) + " has the label " +
                                                      std::string(kExcludeFromBackupLabel) + "=true");
  }
  const IncludesExcludes::Answer answer = lists_.ask(name);
  if (answer.excluded_by != nullptr) {
    const std::string by = *answer.excluded_by == name ? "" : " by " + quote(*answer.excluded_by);
    return Verdict::out(Reason::kNamespaceExcluded, "namespace " + quote(name) + " is excluded" + by);
  }
  // An empty list that was made by expansion means nothing, not everything.
  if (!answer.is_in || (was_expanded_ && lists_.includes().empty())) {
    return Verdict::out(Reason::kNamespaceNotIncluded, "namespace " + quote(name) + " is not among those included");
  }
  return Verdict::in();
}

Names NamespaceFilter::to_list() const {
  Names names;
  for (const std::string& name : lists_.includes().patterns()) {
    if (ask(name)) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace landfall::selection
