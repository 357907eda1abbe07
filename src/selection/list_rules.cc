#include "selection/list_rules.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "k8s/names.h"

namespace landfall::selection {
namespace {

using NameSet = std::set<std::string, std::less<>>;

NameSet set_of(const Names& names) { return {names.begin(), names.end()}; }

void add_star_beside_others(Messages& problems, const NameSet& names, std::string_view list) {
  if (names.size() > 1 && names.contains("*")) {
    problems.push_back("'*' must be the only item of the " + std::string(list) + " list");
  }
}

void add_items_in_both(Messages& problems, const NameSet& includes, const NameSet& excludes) {
  for (const std::string& item : excludes) {
    if (includes.contains(item)) {
      problems.push_back(quote(item) + " is both included and excluded");
    }
  }
}

void add_too_many_patterns(Messages& problems, const NameSet& names) {
  const auto wildcards = std::ranges::count_if(names, has_wildcard);
  if (wildcards > static_cast<std::ptrdiff_t>(GlobSet::kMaxWildcards)) {
    problems.push_back(std::to_string(wildcards) + " patterns in one list; at most " +
                       std::to_string(GlobSet::kMaxWildcards) + " are allowed");
  }
}

void add_unreadable_patterns(Messages& problems, const NameSet& names) {
  for (const std::string& name : names) {
    if (const auto glob = Glob::compile(name); !glob) {
      problems.push_back(glob.error().message());
    }
  }
}

Messages basic_problems(const NameSet& includes, const NameSet& excludes) {
  Messages problems;
  add_star_beside_others(problems, includes, "include");
  if (excludes.contains("*")) {
    problems.emplace_back("'*' is not allowed in the exclude list");
  }
  add_items_in_both(problems, includes, excludes);
  add_too_many_patterns(problems, includes);
  add_too_many_patterns(problems, excludes);
  return problems;
}

// Velero's check of brackets: each [ has its ], with something between, and no ] stands alone.
std::string bracket_problem(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == ']') {
      return "']' without a '[' before it";
    }
    if (pattern[at] != '[') {
      continue;
    }
    const std::size_t close = pattern.find(']', at);
    if (close == std::string_view::npos) {
      return "'[' without a ']' after it";
    }
    if (close == at + 1) {
      return "nothing between '[' and ']'";
    }
    at = close;
  }
  return "";
}

}  // namespace

Messages list_problems(const Names& includes, const Names& excludes) {
  const NameSet in = set_of(includes);
  const NameSet out = set_of(excludes);
  Messages problems = basic_problems(in, out);
  add_unreadable_patterns(problems, in);
  add_unreadable_patterns(problems, out);
  return problems;
}

Messages scoped_list_problems(const Names& includes, const Names& excludes) {
  const NameSet in = set_of(includes);
  const NameSet out = set_of(excludes);
  Messages problems;
  add_star_beside_others(problems, in, "include");
  add_star_beside_others(problems, out, "exclude");
  if (!in.empty() && out.contains("*")) {
    problems.emplace_back("with '*' in the exclude list the include list must be empty");
  }
  add_too_many_patterns(problems, in);
  add_too_many_patterns(problems, out);
  add_items_in_both(problems, in, out);
  add_unreadable_patterns(problems, in);
  add_unreadable_patterns(problems, out);
  return problems;
}

Messages namespace_list_problems(const Names& includes, const Names& excludes) {
  const NameSet in = set_of(includes);
  const NameSet out = set_of(excludes);
  Messages problems = basic_problems(in, out);
  for (const NameSet* names : {&in, &out}) {
    for (const std::string& name : *names) {
      std::ranges::move(namespace_pattern_problems(name), std::back_inserter(problems));
    }
  }
  return problems;
}

Messages namespace_pattern_problems(std::string_view pattern) {
  if (pattern.empty()) {
    return {};
  }
  const std::string place = "namespace " + quote(pattern) + ": ";
  if (pattern.find_first_of("|()!{},") != std::string_view::npos) {
    return {place + "a pattern cannot have any of | ( ) ! { } ,"};
  }
  if (contains(pattern, "**")) {
    return {place + "'**' is not allowed, a single '*' matches any text"};
  }
  if (const std::string problem = bracket_problem(pattern); !problem.empty()) {
    return {place + problem};
  }
  std::string name(pattern);
  std::ranges::replace_if(name, [](char c) { return std::string_view("*?[]").find(c) != std::string_view::npos; }, 'x');
  Messages problems;
  for (const std::string& problem : k8s::dns1123_label_problems(name)) {
    problems.push_back(place + problem);
  }
  if (const auto glob = Glob::compile(pattern); problems.empty() && !glob) {
    problems.push_back("namespace " + glob.error().message());
  }
  return problems;
}

void add_problems(Messages& to, std::string_view lists, const Messages& problems) {
  constexpr std::size_t kShown = 20;
  const std::string place = std::string(lists) + ": ";
  for (std::size_t at = 0; at < std::min(problems.size(), kShown); ++at) {
    to.push_back(place + problems[at]);
  }
  if (problems.size() > kShown) {
    to.push_back(place + "and " + std::to_string(problems.size() - kShown) + " more problems");
  }
}

}  // namespace landfall::selection
