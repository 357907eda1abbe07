#include "control/location_clash.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using json::Json;

// Where a location keeps its backups.
struct Place {
  std::string bucket;  // with all that tells it from the same name elsewhere
  std::string root;    // "" or "prefix/"
};

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of('/'));
  text.erase(text.find_last_not_of('/') + 1);
  return text;
}

Place place_of(const Json& location) {
  const std::string given = json::string_or(location, {"spec", "provider"}, "");
  const std::string provider(strip_prefix(given, "velero.io/").value_or(given));
  const std::string bucket = trimmed(json::string_or(location, {"spec", "objectStorage", "bucket"}, ""));
  const std::string prefix = trimmed(json::string_or(location, {"spec", "objectStorage", "prefix"}, ""));
  if (provider == "filesystem") {
    // A bucket is a directory in a directory here, and may be inside another in more ways.
    const std::filesystem::path path = json::string_or(location, {"spec", "config", "path"}, "");
    return {.bucket = provider, .root = trimmed((path / bucket / prefix).lexically_normal().string()) + "/"};
  }
  const std::string host = trimmed(to_lower(json::string_or(location, {"spec", "config", "s3Url"}, "")));
  return {.bucket = fmt::format("{}\n{}\n{}", provider, host, bucket), .root = prefix.empty() ? "" : prefix + "/"};
}

bool is_read_only(const Json& location) { return json::string_or(location, {"spec", "accessMode"}, "") == "ReadOnly"; }

bool is_older(const Json& a, const Json& b) {
  const k8s::ObjectView left(a);
  const k8s::ObjectView right(b);
  return std::pair(left.creation_timestamp(), left.name()) < std::pair(right.creation_timestamp(), right.name());
}

std::string advice(const Json& other) {
  return fmt::format("location {}, which is older; give one of them another prefix",
                     quote(k8s::ObjectView(other).name()));
}

std::optional<LocationClash> clash_between(const Json& location, const Json& other) {
  const Place here = place_of(location);
  const Place there = place_of(other);
  if (here.bucket != there.bucket) return std::nullopt;
  if (here.root == there.root) {
    if (is_read_only(location) || is_read_only(other)) {
      return LocationClash{.is_error = false,
                           .message = fmt::format("the same bucket and prefix as those of location {}",
                                                  quote(k8s::ObjectView(other).name()))};
    }
    return LocationClash{.is_error = true, .message = "the same bucket and prefix as those of " + advice(other)};
  }
  if (is_read_only(location) && is_read_only(other)) return std::nullopt;
  if (here.root.starts_with(there.root)) {
    return LocationClash{.is_error = true, .message = "the prefix is inside that of " + advice(other)};
  }
  if (there.root.starts_with(here.root)) {
    return LocationClash{.is_error = true, .message = "the prefix holds that of " + advice(other)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<LocationClash> clash_of(const Json& location, const std::vector<Json>& all) {
  std::optional<LocationClash> worst;
  for (const Json& other : all) {
    if (!is_older(other, location)) continue;
    auto clash = clash_between(location, other);
    if (clash && (!worst || (clash->is_error && !worst->is_error))) worst = std::move(clash);
  }
  return worst;
}

}  // namespace landfall::control
