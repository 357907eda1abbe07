#include "control/restore_files.h"

#include <utility>

#include "bucket/artifact.h"
#include "control/config_map_records.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "io/spool_file.h"
#include "io/stream.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "restore/plan_document.h"

namespace landfall::control {
namespace {

using bucket::RestoreArtifact;

// A plan of 300,000 items takes a few MiB.
constexpr std::size_t kMaxRecord = std::size_t{64} << 20U;

}  // namespace

std::string_view record_name(RestoreArtifact artifact) {
  switch (artifact) {
    case RestoreArtifact::kPlan:
      return "plan";
    case RestoreArtifact::kItemOperations:
      return "itemoperations";
    case RestoreArtifact::kResourceList:
      return "claims";
    case RestoreArtifact::kResults:
      return "results";
    case RestoreArtifact::kVolumeInfos:
      return "volumeinfo";
    default:
      return "";
  }
}

std::unique_ptr<operation::RecordStore> config_map_records_of(const Context& context, const json::Json& restore) {
  return std::make_unique<ConfigMapRecords>(context.client, context.name_space, restore);
}

Result<std::optional<FoundLocation>> location_of_restore(const Context& context, const json::Json& restore,
                                                         const std::stop_token& stop) {
  const std::string name = json::string_or(restore, {"spec", "backupName"}, "");
  if (name.empty()) return std::optional<FoundLocation>();
  const auto backup = context.objects(api::kBackup).get(name, stop);
  if (!backup && backup.error().code() == Code::kNotFound) return std::optional<FoundLocation>();
  if (!backup) return fail("read backup " + name, backup.error());
  auto found = context.locations.find(json::string_or(*backup, {"spec", "storageLocation"}, ""), stop);
  if (!found && found.error().code() == Code::kNotFound) return std::optional<FoundLocation>();
  if (!found) return fail("storage location of backup " + name, std::move(found).error());
  return std::optional<FoundLocation>(*std::move(found));
}

Result<std::unique_ptr<RestoreFiles>> RestoreFiles::open(const Context& context, const FoundLocation& location,
                                                         const json::Json& restore, const Logger& log,
                                                         const std::stop_token& stop) {
  TRY_ASSIGN(auto opened, "", context.locations.open(location, log, stop));
  std::unique_ptr<operation::RecordStore> records;
  if (location.view.is_read_only) {
    records = config_map_records_of(context, restore);
  } else {
    const k8s::ObjectView view(restore);
    TRY_ASSIGN(records, "", opened->restore_records(view.name(), view.uid()));
  }
  return std::make_unique<RestoreFiles>(std::move(opened), std::move(records), restore, location.view.is_read_only);
}

RestoreFiles::RestoreFiles(std::unique_ptr<location::OpenedLocation> opened,
                           std::unique_ptr<operation::RecordStore> records, const json::Json& restore,
                           bool is_read_only)
    : opened_(std::move(opened)),
      records_(std::move(records)),
      name_(k8s::ObjectView(restore).name()),
      uid_(k8s::ObjectView(restore).uid()),
      is_read_only_(is_read_only) {}

bool RestoreFiles::keeps(RestoreArtifact artifact) const { return !is_read_only_ || !record_name(artifact).empty(); }

Status RestoreFiles::write(RestoreArtifact artifact, const extension::ObjectSource& source,
                           const std::stop_token& stop) {
  if (!keeps(artifact)) return {};
  if (!is_read_only_) return bucket().write(name_, artifact, source, stop);
  TRY_ASSIGN(const auto reader, "", source.open());
  TRY_ASSIGN(const std::string bytes, "", io::read_all(*reader, kMaxRecord));
  return records_->put(std::string(record_name(artifact)), bytes, stop);
}

Status RestoreFiles::write(RestoreArtifact artifact, const json::Json& document, const std::stop_token& stop) {
  const std::string bytes = bucket::encode(document, form_of(artifact));
  return write(artifact, extension::BytesSource(bytes), stop);
}

Result<std::optional<json::Json>> RestoreFiles::read(RestoreArtifact artifact, const std::stop_token& stop) {
  if (!keeps(artifact)) return std::optional<json::Json>();
  if (!is_read_only_) return bucket().read(name_, artifact, stop);
  const auto bytes = records_->get(std::string(record_name(artifact)), stop);
  if (!bytes && bytes.error().code() == Code::kNotFound) return std::optional<json::Json>();
  if (!bytes) return fail("", bytes.error());
  io::StringReader reader(*bytes);
  TRY_ASSIGN(json::Json document, "", bucket::decode(reader, form_of(artifact)));
  return std::optional<json::Json>(std::move(document));
}

Status RestoreFiles::save_plan(const restore::Plan& plan, const std::string& spool_directory,
                               const std::stop_token& stop) {
  TRY_ASSIGN(io::SpoolFile file, "", io::SpoolFile::create(spool_directory));
  io::GzipWriter gzip(file);
  TRY("", restore::write_plan(plan, gzip));
  TRY("", gzip.close());
  TRY("", file.close());
  return write(RestoreArtifact::kPlan, extension::SpoolSource(file), stop);
}

Result<std::optional<restore::Plan>> RestoreFiles::load_plan(const std::stop_token& stop) {
  std::string bytes;
  std::unique_ptr<io::Reader> reader;
  const auto is_missing = [](const auto& result) { return !result && result.error().code() == Code::kNotFound; };
  if (is_read_only_) {
    auto record = records_->get(std::string(record_name(RestoreArtifact::kPlan)), stop);
    if (is_missing(record)) return std::optional<restore::Plan>();
    TRY_ASSIGN(bytes, "", std::move(record));
    reader = std::make_unique<io::StringReader>(bytes);
  } else {
    auto opened = bucket().open(name_, RestoreArtifact::kPlan, stop);
    if (is_missing(opened)) return std::optional<restore::Plan>();
    TRY_ASSIGN(reader, "", std::move(opened));
  }
  io::GzipReader text(*reader);
  TRY_ASSIGN(restore::Plan plan, "", restore::read_plan(text));
  // Another Restore had this name.
  if (plan.restore_uid != uid_ || plan.is_preview) return std::optional<restore::Plan>();
  return std::optional<restore::Plan>(std::move(plan));
}

}  // namespace landfall::control
