#include "plugin_local/walk.h"

#include <ranges>
#include <vector>

namespace landfall::plugin_local {

Status walk(Tree& tree, const std::function<Result<bool>(const std::string& path)>& visit) {
  std::vector<std::string> rest{"."};
  while (!rest.empty()) {
    const std::string path = std::move(rest.back());
    rest.pop_back();
    TRY_ASSIGN(const bool is_directory, "", visit(path));
    if (!is_directory) continue;
    auto names = tree.names_in(path);
    if (!names && names.error().code() == Code::kNotFound) continue;
    if (!names) return tl::unexpected(std::move(names).error());
    for (const std::string& name : std::views::reverse(*names)) rest.push_back(join_path(path, name));
  }
  return {};
}

}  // namespace landfall::plugin_local
