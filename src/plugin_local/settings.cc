#include "plugin_local/settings.h"

#include <array>
#include <utility>

#include "base/quote.h"
#include "base/strings.h"

namespace landfall::plugin_local {
namespace {

constexpr std::array<std::pair<ProgressWay, std::string_view>, 4> kWays = {{{ProgressWay::kAuto, "auto"},
                                                                            {ProgressWay::kResources, "resources"},
                                                                            {ProgressWay::kPolled, "polled"},
                                                                            {ProgressWay::kBoth, "both"}}};

Status set(Settings& settings, const std::string& key, const std::string& value) {
  if (key == "directory") {
    settings.directory = value;
  } else if (key == "volumes") {
    settings.volumes = value;
  } else if (key == "root") {
    settings.root = value == "/" ? "" : value;
  } else if (key == "progress") {
    TRY_ASSIGN(settings.progress, "", parse_progress_way(value));
  } else if (key == "bytesPerSecond") {
    TRY_ASSIGN(settings.bytes_per_second, "", parse_int64(value));
    if (settings.bytes_per_second < 0) return fail(Code::kInvalid, "must not be negative");
  } else if (key != "credentialsFile") {  // sent by a server whose location has a credential, which is of no use here
    return fail(Code::kInvalid, "not a setting; there are directory, volumes, root, progress and bytesPerSecond");
  }
  return {};
}

// Beside the snapshots, where the node sees that place.
Result<std::string> default_volumes(const Settings& settings) {
  if (settings.root.empty()) return settings.directory + "-volumes";
  if (settings.directory.starts_with(settings.root + "/")) {
    return settings.directory.substr(settings.root.size()) + "-volumes";
  }
  return fail(Code::kInvalid, "volumes: must be set, because directory is not below root");
}

}  // namespace

std::string to_string(ProgressWay way) {
  for (const auto& [value, name] : kWays) {
    if (value == way) return std::string(name);
  }
  return "auto";
}

Result<ProgressWay> parse_progress_way(const std::string& text) {
  for (const auto& [value, name] : kWays) {
    if (name == text) return value;
  }
  return fail(Code::kInvalid, "must be auto, resources, polled or both");
}

Status check_path(const std::string& path) {
  if (!path.starts_with('/') || path == "/") return fail(Code::kInvalid, quote(path) + " is not an absolute path");
  if (path.find('\0') != std::string::npos) return fail(Code::kInvalid, "a NUL byte in a path");
  const auto parts = split(std::string_view(path).substr(1), '/');
  for (const std::string_view part : parts) {
    if (part.empty() || part == "." || part == "..") {
      return fail(Code::kInvalid, quote(path) + " has a part that is empty, \".\" or \"..\"");
    }
  }
  return {};
}

Result<Settings> read_settings(const std::map<std::string, std::string>& config) {
  Settings settings;
  for (const auto& [key, value] : config) TRY("setting " + quote(key), set(settings, key, value));
  if (settings.directory.empty())
    return fail(Code::kInvalid, "setting \"directory\" is missing: where snapshots are kept");
  TRY("directory", check_path(settings.directory));
  if (!settings.root.empty()) TRY("root", check_path(settings.root));
  if (settings.volumes.empty()) {
    TRY_ASSIGN(settings.volumes, "", default_volumes(settings));
  }
  TRY("volumes", check_path(settings.volumes));
  return settings;
}

}  // namespace landfall::plugin_local
