#include "stories/stage.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "api/definitions.h"
#include "json/access.h"
#include "json/json.h"
#include "stories/patience.h"

namespace landfall::stories {
namespace {

using json::Json;

server::ServerOptions in_namespace(server::ServerOptions options, const std::string& name) {
  options.name_space = name;
  return options;
}

constexpr std::array<std::string_view, 4> kEnds = {"Completed", "PartiallyFailed", "Failed", "FailedValidation"};

// What others have created already is as good.
void create_if_missing(const kube::Resource& resource, const Json& object) {
  const auto created = resource.create(object, {});
  if (!created && created.error().code() != Code::kAlreadyExists) must(created);
}

}  // namespace

Stage::Stage(kube::Client& client, const Settings& settings)
    : client_(client),
      name_space_(settings.name_space),
      bucket_(settings.bucket),
      environment_(settings.environment),
      options_(in_namespace(settings.options, name_space_)),
      location_(must(location::open_root(bucket_.string(), {.environment = environment_, .clock = system_clock()}))) {
  install();
  restart_server();
  add_location();
}

void Stage::restart_server() {
  server_.reset();
  server_ = std::make_unique<RunningServer>(client_, options_, environment_);
}

void Stage::install() const {
  const kube::Resource definitions(client_, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  for (const Json& definition : api::custom_resource_definitions()) create_if_missing(definitions, definition);
  for (const api::Kind& kind : api::kAllKinds) {
    if (!soon([&] { return objects(kind).list({.page_size = 1}, {}).has_value(); })) {
      throw std::runtime_error(kind.definition() + " is not served");
    }
  }
  create_if_missing({client_, {"", "v1", "namespaces"}},
                    {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name_space_}}}});
}

void Stage::add_location() const {
  create(api::kBackupStorageLocation, "default",
         {{"provider", "filesystem"},
          {"default", true},
          {"objectStorage", {{"bucket", bucket_.filename().string()}}},
          {"config", {{"path", bucket_.parent_path().string()}}}});
  if (!soon([&] { return phase(api::kBackupStorageLocation, "default") == "Available"; })) {
    throw std::runtime_error("the location is not available: " + server_->error() + "\n" + server_->log());
  }
}

Json Stage::create(const api::Kind& kind, const std::string& name, const Json& spec) const {
  return must(objects(kind).create({{"apiVersion", kind.api_version()},
                                    {"kind", kind.name},
                                    {"metadata", {{"name", name}, {"namespace", name_space_}}},
                                    {"spec", spec}},
                                   {}));
}

std::string Stage::phase(const api::Kind& kind, const std::string& name) const {
  const auto found = objects(kind).get(name, {});
  return found ? json::string_or(*found, {"status", "phase"}, "") : "";
}

bool Stage::exists(const api::Kind& kind, const std::string& name) const {
  const auto found = objects(kind).get(name, {});
  if (!found && found.error().code() != Code::kNotFound) must(found);
  return found.has_value();
}

Json Stage::back_up(const std::string& name, const Json& spec) const {
  create(api::kBackup, name, spec);
  return await_end(name);
}

Json Stage::await_end(const std::string& name) const {
  const auto has_ended = [&] { return std::ranges::find(kEnds, phase(api::kBackup, name)) != kEnds.end(); };
  if (!soon(has_ended)) {
    throw std::runtime_error("the backup " + name + " is still " + phase(api::kBackup, name) +
                             "; the server: " + server_->error() + "\n" + server_->log());
  }
  return must(objects(api::kBackup).get(name, {}));
}

archive::SpooledArchive Stage::archive(const std::string& backup) const {
  const auto reader = must(backups().open(backup, bucket::BackupArtifact::kContents, {}));
  return must(archive::SpooledArchive::read(*reader, {.directory = "/tmp", .limits = {}}, {}, {}));
}

bucket::VerifyReport Stage::verify(const std::string& backup) const {
  return must(bucket::verify(backups(), backup, {.spool_directory = "/tmp", .limits = {}}, {}));
}

Json Stage::document(const std::string& backup, bucket::BackupArtifact artifact) const {
  return must(backups().read(backup, artifact, {})).value_or(Json());
}

std::vector<std::string> Stage::files() const {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bucket_)) {
    if (entry.is_regular_file()) found.push_back(std::filesystem::relative(entry.path(), bucket_));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace landfall::stories
