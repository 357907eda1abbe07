#include "stories/bookshop.h"

#include <algorithm>
#include <array>
#include <functional>
#include <ranges>
#include <stdexcept>

#include "io/file.h"
#include "json/access.h"
#include "json/json.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "stories/patience.h"
#include "stories/sweep.h"

namespace landfall::stories {
namespace {

using json::Json;

constexpr std::array<std::string_view, 2> kNamespaces = {"bookshop", "bookshop-staging"};

std::vector<Json> read_documents(const std::filesystem::path& file) {
  return must(json::parse_yaml_documents(must(io::read_file(file, 1 << 20))));
}

std::string kind_of(const Json& object) { return std::string(k8s::ObjectView(object).kind()); }

}  // namespace

Bookshop::Bookshop(kube::Client& client, const std::filesystem::path& sources)
    : client_(client), documents_(read_documents(sources / "tests/data/bookshop.yaml")) {
  for (Json& book : read_documents(sources / "tests/data/bookshop-books.yaml")) documents_.push_back(std::move(book));
}

void Bookshop::open() {
  const auto is_definition = [](const Json& one) { return kind_of(one) == "CustomResourceDefinition"; };
  refresh();
  for (const Json& document : documents_ | std::views::filter(is_definition)) create(document);
  for (const Json& document : documents_ | std::views::filter(std::not_fn(is_definition))) {
    create(document);
  }
}

// Of a kind that may be served only in a moment.
void Bookshop::create(const Json& object) {
  const std::string name_space(k8s::ObjectView(object).name_space());
  std::string problem = "it is not served";
  const auto is_there = [&] {
    if (resource_of(object) == nullptr) refresh();
    const kube::ApiResource* resource = resource_of(object);
    if (resource == nullptr) return false;
    const auto created = kube::Resource(client_, resource->id, name_space).create(object, {});
    if (created) return true;
    if (created.error().code() != Code::kNotFound) must(created);
    problem = created.error().message();
    return false;
  };
  if (!soon(is_there)) throw std::runtime_error(kind_of(object) + ": " + problem);
}

const kube::ApiResource* Bookshop::resource_of(const Json& object) {
  return discovery_->find(k8s::ObjectView(object).group_version_kind());
}

void Bookshop::refresh() { discovery_ = std::make_unique<kube::Discovery>(must(kube::discover(client_, {}))); }

void Bookshop::await_workloads() {
  const kube::Resource pods(client_, {"", "v1", "pods"}, "bookshop");
  const kube::Resource jobs(client_, {"batch", "v1", "jobs"}, "bookshop");
  const auto are_done = [&] {
    const auto found = pods.list({}, {});
    const auto job = jobs.get("migrate", {});
    if (!found || !job) return false;
    const auto in_phase = [&](std::string_view phase) {
      return std::ranges::count_if(
          found->items, [&](const Json& pod) { return json::string_or(pod, {"status", "phase"}, "") == phase; });
    };
    return in_phase("Running") == 3 && in_phase("Succeeded") == 1 &&
           json::int_or(*job, {"status", "succeeded"}, 0) == 1;
  };
  if (!soon(are_done)) throw std::runtime_error("the bookshop's pods do not run");
}

void Bookshop::close() {
  refresh();
  for (const std::string_view name : kNamespaces) sweep_namespace(client_, *discovery_, std::string(name));
  for (const Json& document : documents_ | std::views::reverse) {
    const kube::ApiResource* resource = resource_of(document);
    if (resource == nullptr || resource->is_namespaced || kind_of(document) == "Namespace") continue;
    sweep_object(client_, *resource, "", std::string(k8s::ObjectView(document).name()));
  }
}

bool Bookshop::owns(const k8s::ObjectRef& object) {
  static const std::array<std::string_view, 10> kOnClusterScope = {
      "namespaces bookshop",
      "namespaces bookshop-staging",
      "persistentvolumes pv-books-db",
      "storageclasses.storage.k8s.io local",
      "priorityclasses.scheduling.k8s.io bookshop-high",
      "clusterroles.rbac.authorization.k8s.io bookshop-auditor",
      "clusterrolebindings.rbac.authorization.k8s.io bookshop-auditor",
      "customresourcedefinitions.apiextensions.k8s.io books.library.example.com",
      "customresourcedefinitions.apiextensions.k8s.io shelves.library.example.com",
      "shelves.library.example.com top"};
  if (!object.name_space.empty()) return std::ranges::find(kNamespaces, object.name_space) != kNamespaces.end();
  return std::ranges::find(kOnClusterScope, to_string(object)) != kOnClusterScope.end();
}

}  // namespace landfall::stories
