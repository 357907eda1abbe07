#include "location/bucket_records.h"

#include <fmt/format.h>

#include <utility>

#include "base/quote.h"
#include "extension/object_source.h"
#include "io/stream.h"
#include "k8s/names.h"
#include "location/opened_location.h"

namespace landfall::location {
namespace {

constexpr std::size_t kMaxRecord = std::size_t{64} << 20U;

}  // namespace

Result<std::unique_ptr<BucketRecords>> BucketRecords::create(extension::ObjectStore& store,
                                                             const bucket::Layout& layout, std::string_view restore,
                                                             std::string_view uid) {
  TRY_ASSIGN(const bucket::RestoreFolder folder, "", layout.restore(restore));
  if (const auto problems = k8s::dns1123_subdomain_problems(uid); !problems.empty()) {
    return fail(Code::kInvalid, fmt::format("restore {}: UID {}: {}", restore, quote(uid), problems.front()));
  }
  return std::make_unique<BucketRecords>(store, fmt::format("{}journal/{}/", folder.path(), uid));
}

BucketRecords::BucketRecords(extension::ObjectStore& store, std::string folder)
    : store_(store), folder_(std::move(folder)) {}

Result<std::vector<std::string>> BucketRecords::list(const std::stop_token& stop) {
  std::vector<std::string> names;
  const auto add = [&](const extension::ObjectInfo& info) -> Status {
    std::string name = info.key.substr(folder_.size());
    // Consoles make objects that stand for folders.
    if (!name.empty() && !name.ends_with('/')) names.push_back(std::move(name));
    return {};
  };
  TRY("", store_.list(folder_, add, stop));
  return names;
}

Result<std::string> BucketRecords::get(const std::string& name, const std::stop_token& stop) {
  TRY_ASSIGN(const auto reader, "", store_.get(folder_ + name, stop));
  TRY_ASSIGN(std::string bytes, folder_ + name, io::read_all(*reader, kMaxRecord));
  return bytes;
}

Status BucketRecords::put(const std::string& name, std::string_view bytes, const std::stop_token& stop) {
  return store_.put(folder_ + name, extension::BytesSource(bytes), {}, stop);
}

Status BucketRecords::remove(const std::string& name, const std::stop_token& stop) {
  return store_.remove(std::vector{folder_ + name}, stop);
}

Result<std::unique_ptr<operation::RecordStore>> OpenedLocation::restore_records(std::string_view restore,
                                                                                std::string_view uid) {
  TRY_ASSIGN(auto records, "", BucketRecords::create(*store_, backups_.layout(), restore, uid));
  return std::unique_ptr<operation::RecordStore>(std::move(records));
}

}  // namespace landfall::location
