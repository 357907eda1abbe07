#include "k8s/object_ref.h"

namespace landfall::k8s {

std::string to_string(const NamespacedName& value) {
  return value.name_space.empty() ? value.name : value.name_space + "/" + value.name;
}

std::string to_string(const ObjectRef& value) {
  return to_string(value.resource) + " " + to_string(NamespacedName{value.name_space, value.name});
}

NamespacedName parse_namespaced_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return {.name_space = "", .name = std::string(text)};
  }
  return {.name_space = std::string(text.substr(0, slash)), .name = std::string(text.substr(slash + 1))};
}

}  // namespace landfall::k8s
