#include "sandbox/registry.h"

#include <algorithm>
#include <utility>

namespace landfall::sandbox {
namespace {

std::string key_of(std::string_view group, std::string_view version, std::string_view resource) {
  std::string key(group);
  key.append("/").append(version).append("/").append(resource);
  return key;
}

}  // namespace

KindSet::KindSet(std::vector<KindPtr> kinds) : kinds_(std::move(kinds)) {
  for (const KindPtr& kind : kinds_) {
    by_resource_.emplace(key_of(kind->id.group, kind->id.version, kind->id.resource), kind);
  }
}

KindPtr KindSet::find(std::string_view group, std::string_view version, std::string_view resource) const {
  const auto found = by_resource_.find(key_of(group, version, resource));
  return found == by_resource_.end() ? nullptr : found->second;
}

KindPtr KindSet::find_kind(std::string_view group, std::string_view version, std::string_view kind) const {
  for (const KindPtr& one : kinds_) {
    if (one->id.group == group && (version.empty() || one->id.version == version) && one->kind == kind) return one;
  }
  return nullptr;
}

KindPtr KindSet::find_resource(const k8s::GroupResource& resource) const {
  for (const KindPtr& one : kinds_) {
    if (one->id.group == resource.group && one->id.resource == resource.resource) return one;
  }
  return nullptr;
}

bool KindSet::has_group(std::string_view group) const {
  return std::ranges::any_of(kinds_, [&](const KindPtr& kind) { return kind->id.group == group; });
}

bool KindSet::has_version(std::string_view group, std::string_view version) const {
  return std::ranges::any_of(
      kinds_, [&](const KindPtr& kind) { return kind->id.group == group && kind->id.version == version; });
}

std::vector<const KindInfo*> KindSet::pointers() const {
  std::vector<const KindInfo*> out;
  out.reserve(kinds_.size());
  for (const KindPtr& kind : kinds_) out.push_back(kind.get());
  return out;
}

std::shared_ptr<const std::string> KindSet::cached(const std::string& name,
                                                   const std::function<std::string()>& make) const {
  using Texts = std::map<std::string, std::shared_ptr<const std::string>>;
  const auto known = texts_.with([&](const Texts& texts) -> std::shared_ptr<const std::string> {
    const auto found = texts.find(name);
    return found == texts.end() ? nullptr : found->second;
  });
  if (known) return known;
  auto made = std::make_shared<const std::string>(make());
  return texts_.with([&](Texts& texts) { return texts.emplace(name, made).first->second; });
}

Registry::Registry() { rebuild(); }

void Registry::serve(const std::string& crd_name, std::vector<KindInfo> kinds) {
  std::vector<KindPtr> shared;
  shared.reserve(kinds.size());
  for (KindInfo& kind : kinds) shared.push_back(std::make_shared<const KindInfo>(std::move(kind)));
  custom_.with([&](auto& custom) { custom[crd_name] = std::move(shared); });
  rebuild();
}

void Registry::withdraw(const std::string& crd_name) {
  custom_.with([&](auto& custom) { custom.erase(crd_name); });
  rebuild();
}

void Registry::rebuild() {
  // Under the lock of what it reads, so that an older set cannot replace a newer one.
  custom_.with([&](const auto& custom) {
    std::vector<KindPtr> all;
    for (const KindInfo& kind : built_in_kinds()) {
      // The table lives as long as the program.
      all.push_back(KindPtr(KindPtr(), &kind));
    }
    const std::size_t built_in = all.size();
    for (const auto& [name, kinds] : custom) all.insert(all.end(), kinds.begin(), kinds.end());
    // Groups of custom resources by name, their better versions first, as the server lists them.
    std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(built_in), all.end(),
                     [](const KindPtr& a, const KindPtr& b) {
                       if (a->id.group != b->id.group) return a->id.group < b->id.group;
                       const auto better = k8s::compare_versions(a->id.version, b->id.version);
                       if (better != std::strong_ordering::equal) return better == std::strong_ordering::greater;
                       return a->id.resource < b->id.resource;
                     });
    auto set = std::make_shared<const KindSet>(std::move(all));
    current_.with([&](KindSetPtr& current) { current = std::move(set); });
  });
}

}  // namespace landfall::sandbox
