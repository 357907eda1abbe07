#include "restore/version_choice.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "k8s/kinds.h"

namespace landfall::restore {
namespace {

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r') result += c;
  }
  return result;
}

bool has(const std::vector<std::string>& list, std::string_view version) {
  return std::ranges::find(list, version) != list.end();
}

// The versions in which this cluster serves the kind, the preferred one first.
std::vector<std::string> served_versions(const k8s::GroupResource& resource, const kube::Discovery& discovery) {
  std::vector<std::string> versions;
  if (const kube::ApiResource* preferred = discovery.find(resource)) versions.push_back(preferred->id.version);
  for (const kube::ApiResource& one : discovery.resources()) {
    if (one.id.group_resource() == resource && !has(versions, one.id.version)) versions.push_back(one.id.version);
  }
  return versions;
}

}  // namespace

std::map<std::string, std::vector<std::string>> parse_version_priorities(std::string_view text) {
  std::map<std::string, std::vector<std::string>> priorities;
  for (const std::string_view line : split(text, '\n')) {
    const std::string bare = without_spaces(line);
    const std::size_t equals = bare.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == bare.size()) continue;
    std::vector<std::string> versions;
    for (const std::string_view version : split(std::string_view(bare).substr(equals + 1), ',')) {
      if (!version.empty()) versions.emplace_back(version);
    }
    if (!versions.empty()) priorities[bare.substr(0, equals)] = std::move(versions);
  }
  return priorities;
}

std::string choose_version(const archive::IndexedResource& resource, const kube::Discovery& discovery,
                           const std::vector<std::string>& user_choice) {
  std::vector<std::string> stored;
  std::string source_preferred;
  for (const archive::ResourceVersion& version : resource.versions) {
    stored.push_back(version.version);
    if (version.is_preferred) source_preferred = version.version;
  }
  const std::vector<std::string> served = served_versions(resource.resource, discovery);
  // The plain form is that of the source's preferred version.
  const auto form = [&](const std::string& version) { return version == source_preferred ? std::string() : version; };
  for (const std::string& version : user_choice) {
    if (has(stored, version) && has(served, version)) return form(version);
  }
  if (!served.empty() && has(stored, served.front())) return form(served.front());
  if (has(served, source_preferred)) return "";
  std::string best;
  for (const std::string& version : stored) {
    if (!has(served, version)) continue;
    if (best.empty() || k8s::compare_versions(version, best) > 0) best = version;
  }
  return best.empty() ? "" : form(best);
}

}  // namespace landfall::restore
