#include "k8s/kinds.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace landfall::k8s {
namespace {

// "v1beta2" taken apart. The members stand in the order of their weight.
struct KubeVersion {
  enum class Stage { kAlpha, kBeta, kStable };
  Stage stage = Stage::kStable;
  std::int64_t major = 0;
  std::int64_t minor = 0;

  friend auto operator<=>(const KubeVersion&, const KubeVersion&) = default;
};

// Takes the digits at the front of the text away. A number that does not fit is none.
std::optional<std::int64_t> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) {
    return false;
  }
  text.remove_prefix(word.size());
  return true;
}

std::optional<KubeVersion> parse_kube_version(std::string_view text) {
  if (!take_word(text, "v")) {
    return std::nullopt;
  }
  const auto major = take_number(text);
  if (!major) {
    return std::nullopt;
  }
  KubeVersion version{.major = *major};
  if (text.empty()) {
    return version;
  }
  if (take_word(text, "alpha")) {
    version.stage = KubeVersion::Stage::kAlpha;
  } else if (take_word(text, "beta")) {
    version.stage = KubeVersion::Stage::kBeta;
  } else {
    return std::nullopt;
  }
  const auto minor = take_number(text);
  if (!minor || !text.empty()) {
    return std::nullopt;
  }
  version.minor = *minor;
  return version;
}

std::string dotted(std::string_view name, std::string_view group) {
  std::string text(name);
  if (!group.empty()) {
    text.append(".").append(group);
  }
  return text;
}

// The two sides of the first dot; without one, all of it and nothing.
std::pair<std::string, std::string> split_at_dot(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return {std::string(text), ""};
  }
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

}  // namespace

std::string to_string(const GroupVersion& value) {
  return value.group.empty() ? value.version : value.group + "/" + value.version;
}

std::string to_string(const GroupKind& value) { return dotted(value.kind, value.group); }

std::string to_string(const GroupResource& value) { return dotted(value.resource, value.group); }

std::string to_string(const GroupVersionKind& value) {
  return value.group + "/" + value.version + ", Kind=" + value.kind;
}

std::string to_string(const GroupVersionResource& value) {
  return value.group + "/" + value.version + ", Resource=" + value.resource;
}

Result<GroupVersion> parse_group_version(std::string_view text) {
  if (text.empty() || text == "/") {
    return GroupVersion{};
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return GroupVersion{.group = "", .version = std::string(text)};
  }
  if (text.find('/', slash + 1) != std::string_view::npos) {
    return fail(Code::kInvalid, "unexpected GroupVersion string: " + std::string(text));
  }
  return GroupVersion{.group = std::string(text.substr(0, slash)), .version = std::string(text.substr(slash + 1))};
}

GroupKind parse_group_kind(std::string_view text) {
  auto [kind, group] = split_at_dot(text);
  return {.group = std::move(group), .kind = std::move(kind)};
}

GroupResource parse_group_resource(std::string_view text) {
  auto [resource, group] = split_at_dot(text);
  return {.group = std::move(group), .resource = std::move(resource)};
}

GroupVersionKind kind_of(std::string_view api_version, std::string_view kind) {
  GroupVersion from = parse_group_version(api_version).value_or(GroupVersion{});
  return {.group = std::move(from.group), .version = std::move(from.version), .kind = std::string(kind)};
}

std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
  const auto version_a = parse_kube_version(a);
  const auto version_b = parse_kube_version(b);
  if (!version_a && !version_b) {
    return b <=> a;
  }
  if (!version_a || !version_b) {
    return version_a.has_value() <=> version_b.has_value();
  }
  return *version_a <=> *version_b;
}

}  // namespace landfall::k8s
