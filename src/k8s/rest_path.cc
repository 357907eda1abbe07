#include "k8s/rest_path.h"

#include "base/quote.h"
#include "k8s/names.h"

namespace landfall::k8s {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

bool stands_as_it_is(char c) {
  const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || std::string_view("-_.~$&+,/:;=@").find(c) != std::string_view::npos;
}

Status append_segment(std::string& path, std::string_view what, std::string_view segment) {
  Problems problems = path_segment_problems(segment);
  if (segment.empty()) {
    problems.emplace_back("must not be empty");
  }
  if (!problems.empty()) {
    return fail(Code::kInvalid, "invalid " + std::string(what) + " " + quote(segment) + ": " + joined(problems));
  }
  path.append("/").append(escape_path(segment));
  return {};
}

}  // namespace

std::string escape_path(std::string_view path) {
  std::string escaped;
  escaped.reserve(path.size());
  for (const char c : path) {
    if (stands_as_it_is(c)) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped.append({'%', kHex[byte >> 4U], kHex[byte & 0xFU]});
    }
  }
  return escaped;
}

Result<std::string> api_path(const GroupVersion& api) {
  std::string path = api.group.empty() ? "/api" : "/apis";
  if (!api.group.empty()) {
    TRY("", append_segment(path, "API group", api.group));
  }
  TRY("", append_segment(path, "API version", api.version));
  return path;
}

Result<std::string> collection_path(const GroupVersionResource& resource, std::string_view name_space) {
  TRY_ASSIGN(std::string path, "", api_path(resource.group_version()));
  if (!name_space.empty()) {
    path += "/namespaces";
    TRY("", append_segment(path, "namespace", name_space));
  }
  TRY("", append_segment(path, "resource type", resource.resource));
  return path;
}

Result<std::string> object_path(const GroupVersionResource& resource, std::string_view name_space,
                                std::string_view name, std::string_view subresource) {
  TRY_ASSIGN(std::string path, "", collection_path(resource, name_space));
  TRY("", append_segment(path, "resource name", name));
  if (!subresource.empty()) {
    TRY("", append_segment(path, "subresource", subresource));
  }
  return path;
}

}  // namespace landfall::k8s
