#include "main/sandbox_seed.h"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/random.h"
#include "cli/cluster.h"
#include "io/file.h"
#include "json/access.h"
#include "json/json.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "kube/resource.h"
#include "main/sample_shop.h"
#include "main/sandbox_check.h"
#include "sandbox_world/node_controller.h"

namespace landfall {
namespace {

namespace fs = std::filesystem;
using json::Json;

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr Duration kPause = std::chrono::milliseconds(200);
constexpr std::size_t kPhoto = std::size_t{256} * 1024;
constexpr const char* kShop = "bookshop";

const k8s::GroupVersionResource kNodes{"", "v1", "nodes"};
const k8s::GroupVersionResource kClaims{"", "v1", "persistentvolumeclaims"};
const k8s::GroupVersionResource kVolumes{"", "v1", "persistentvolumes"};

class Seeder {
 public:
  Seeder(kube::Client& client, const cli::Context& context) : client_(client), discovery_(client), context_(context) {}

  Status run();

 private:
  Status create(const Json& object);
  Result<kube::ApiResource> resource_of(const k8s::GroupVersionKind& kind);
  Status fill_volumes();
  Result<Json> bound_claim(const std::string& name) const;
  Status fill(const fs::path& directory, const std::string& volume);
  bool pause() const { return context_.clock.sleep_for(kPause, context_.stop); }

  kube::Client& client_;
  kube::DiscoveryCache discovery_;
  const cli::Context& context_;
  std::size_t created_ = 0;
  std::size_t files_ = 0;
};

Result<kube::ApiResource> Seeder::resource_of(const k8s::GroupVersionKind& kind) {
  const SteadyTime deadline = context_.clock.after(kPatience);
  TRY_ASSIGN(auto served, "discovery", discovery_.get(context_.stop));
  while (true) {
    if (const kube::ApiResource* found = served->find(kind)) return *found;
    // A definition that was just created takes a moment.
    if (context_.clock.now() >= deadline || !pause()) {
      return fail(Code::kTimeout, "the server does not serve " + k8s::to_string(kind));
    }
    TRY_ASSIGN(served, "discovery", discovery_.refresh(context_.stop));
  }
}

Status Seeder::create(const Json& object) {
  const k8s::ObjectView view(object);
  const std::string what = std::string(view.kind()) + " " + k8s::to_string(view.namespaced_name());
  TRY_ASSIGN(const kube::ApiResource resource, what, resource_of(view.group_version_kind()));
  const auto made = kube::Resource(client_, resource.id, std::string(view.name_space())).create(object, context_.stop);
  if (made) {
    ++created_;
    return {};
  }
  if (made.error().code() == Code::kAlreadyExists) return {};
  return fail("create " + what, made.error());
}

Result<Json> Seeder::bound_claim(const std::string& name) const {
  const SteadyTime deadline = context_.clock.after(kPatience);
  const kube::Resource claims(client_, kClaims, kShop);
  while (true) {
    auto claim = claims.get(name, context_.stop);
    if (!claim && claim.error().code() != Code::kNotFound) return claim;
    if (claim && json::string_or(*claim, {"status", "phase"}, "") == "Bound") return claim;
    if (context_.clock.now() >= deadline || !pause()) {
      return fail(Code::kTimeout, "claim " + name + " was not bound in time");
    }
  }
}

Status Seeder::fill(const fs::path& directory, const std::string& volume) {
  std::error_code error;
  fs::create_directories(directory / "photos" / "2026", error);
  if (error) return fail(Code::kInternal, directory.string() + ": " + error.message());
  // The same bytes every time, and none that compress well.
  SeededRandom random(volume.size() + 1);
  std::string photo;
  while (photo.size() < kPhoto) photo += static_cast<char>(random.uniform(256));
  const std::vector<std::pair<std::string, std::string>> files = {
      {"table", "row1\nrow2\n"},
      {"readme.txt", "The files of volume " + volume + "\n"},
      {"empty", ""},
      {"photos/2026/ladentür.jpg", photo},
  };
  for (const auto& [name, bytes] : files) {
    TRY("", io::write_file((directory / name).string(), bytes, {.mode = 0644}));
    ++files_;
  }
  fs::remove(directory / "latest", error);
  fs::create_symlink("photos/2026", directory / "latest", error);
  return {};
}

Status Seeder::fill_volumes() {
  const auto node = kube::Resource(client_, kNodes).get(std::string(sandbox::kNodeName), context_.stop);
  if (!node) return {};  // a sandbox without workloads has no volumes either
  const auto folder = k8s::ObjectView(*node).annotations().get(std::string(sandbox::kDataAnnotation));
  if (!folder || !fs::is_directory(*folder)) {
    return context_.err.write("The sandbox runs on another machine: its volumes stay empty.\n");
  }
  for (const char* name : {"data-db-0", "uploads"}) {
    TRY_ASSIGN(const Json claim, "", bound_claim(name));
    TRY_ASSIGN(
        const Json volume, "",
        kube::Resource(client_, kVolumes).get(json::string_or(claim, {"spec", "volumeName"}, ""), context_.stop));
    const fs::path path = json::string_or(volume, {"spec", "local", "path"}, "");
    // Nothing outside of the sandbox's own folder is touched.
    if (path.lexically_relative(fs::path(*folder) / "volumes").empty() ||
        *path.lexically_relative(fs::path(*folder) / "volumes").begin() == "..") {
      continue;
    }
    TRY("", fill(path, name));
  }
  return {};
}

Status Seeder::run() {
  TRY("", check_is_sandbox(client_, context_.stop));
  TRY_ASSIGN(const std::vector<Json> objects, "the sample shop", json::parse_yaml_documents(sample_shop()));
  for (const Json& object : objects) TRY("", create(object));
  TRY("", fill_volumes());
  return context_.out.write("The shop is open: " + std::to_string(created_) + " objects created, " +
                            std::to_string(objects.size() - created_) + " were there, " + std::to_string(files_) +
                            " files written into its volumes.\n");
}

}  // namespace

Status seed_sandbox(const cli::GlobalFlags& flags, const cli::Context& context) {
  TRY_ASSIGN(const auto cluster, "", cli::Cluster::of(flags, context));
  return Seeder(cluster->client(), context).run();
}

}  // namespace landfall
