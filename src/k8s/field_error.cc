#include "k8s/field_error.h"

#include <set>

#include "base/quote.h"
#include "base/strings.h"

namespace landfall::k8s {
namespace {

std::string invalid(std::string_view path, std::string_view printed, std::string_view detail) {
  std::string text(path);
  return text.append(": Invalid value: ").append(printed).append(": ").append(detail);
}

}  // namespace

std::string invalid_value(std::string_view path, std::string_view value, std::string_view detail) {
  return invalid(path, quote(value), detail);
}

std::string invalid_value(std::string_view path, const std::vector<std::string>& values, std::string_view detail) {
  if (values.empty()) {
    return invalid(path, "null", detail);
  }
  std::string printed = "[";
  for (const std::string& value : values) {
    printed += printed.size() == 1 ? "" : ",";
    append_json_string(printed, value);
  }
  return invalid(path, printed + "]", detail);
}

std::string aggregate(const std::vector<std::string>& errors) {
  std::set<std::string_view> seen;
  std::vector<std::string_view> distinct;
  for (const std::string& error : errors) {
    if (seen.insert(error).second) {
      distinct.push_back(error);
    }
  }
  if (distinct.size() == 1) {
    return std::string(distinct.front());
  }
  return "[" + join(distinct, ", ") + "]";
}

}  // namespace landfall::k8s
