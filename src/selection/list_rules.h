#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "selection/includes_excludes.h"

namespace landfall::selection {

// What is wrong with a pair of lists, one sentence each, all that there is; none when they are good. Velero's rules,
// and one of ours: every pattern must be readable. Pure.
using Messages = std::vector<std::string>;

// Lists of resources without scope, and those of a restore: "*" only alone and only among the includes; nothing may be
// in both.
Messages list_problems(const Names& includes, const Names& excludes);

// The lists that are for one scope: "*" may exclude everything as well, but then nothing may be included.
Messages scoped_list_problems(const Names& includes, const Names& excludes);

// The rules of list_problems, and each name must be that of a namespace, but for *, ? and […].
Messages namespace_list_problems(const Names& includes, const Names& excludes);

// A name or pattern of a namespace. The empty name is good, as in Velero.
Messages namespace_pattern_problems(std::string_view pattern);

// Puts what the lists are in front of each message: `included/excluded namespaces: …`. Of very many only the first are
// told, and how many more there are.
void add_problems(Messages& to, std::string_view lists, const Messages& problems);

}  // namespace landfall::selection
