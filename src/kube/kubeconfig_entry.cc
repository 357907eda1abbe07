#include "kube/kubeconfig_entry.h"

#include <filesystem>

#include "base/encoding.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "kube/written_document.h"

namespace landfall::kube {
namespace {

// Base64 may be spread over lines, as Go reads it.
std::string without_line_breaks(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (const char c : text) {
    if (c != '\n' && c != '\r') {
      kept += c;
    }
  }
  return kept;
}

}  // namespace

Result<std::string> KubeconfigEntry::text(std::string_view field) const {
  TRY_ASSIGN(std::string found, place, text_at(*value, {field}));
  return found;
}

Result<bool> KubeconfigEntry::flag(std::string_view field) const {
  TRY_ASSIGN(const auto found, place, json::optional_bool_at(*value, {field}));
  return found.value_or(false);
}

Result<DataOrFile> KubeconfigEntry::data_or_file(const std::string& field) const {
  DataOrFile result;
  TRY_ASSIGN(const std::string path, "", text(field));
  result.file = resolve(path);
  TRY_ASSIGN(const std::string encoded, "", text(field + "-data"));
  TRY_ASSIGN(result.data, place + ": " + field + "-data", base64_decode(without_line_breaks(encoded)));
  return result;
}

std::string KubeconfigEntry::resolve(const std::string& path) const {
  if (path.empty()) {
    return path;
  }
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

tl::unexpected<Error> KubeconfigEntry::error(std::string_view what) const {
  return fail(Code::kInvalid, place + ": " + std::string(what));
}

}  // namespace landfall::kube
