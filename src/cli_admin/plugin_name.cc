#include "cli_admin/plugin_name.h"

#include <algorithm>

#include "k8s/names.h"

namespace landfall::cli {

std::string plugin_container_name(std::string_view image) {
  const std::size_t slash = image.find('/');
  // Two slashes or more: the first part is a registry. "velero/x" has none.
  if (slash != std::string_view::npos && (slash == 0 || image.find('/', slash + 1) != std::string_view::npos)) {
    image.remove_prefix(slash + 1);
  }
  const std::size_t digest = image.rfind('@');
  const std::size_t end = digest != std::string_view::npos ? digest : image.rfind(':');
  std::string name(image.substr(0, end));
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == '_' || c == '.'; }, '-');
  return k8s::label_safe(name);
}

}  // namespace landfall::cli
