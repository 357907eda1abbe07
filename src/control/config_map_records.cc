#include "control/config_map_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using json::Json;

constexpr std::string_view kRecord = "landfall.dev/record";
constexpr std::string_view kPart = "landfall.dev/record-part";      // of all but the first
constexpr std::string_view kDigest = "landfall.dev/record-digest";  // of the whole
constexpr std::string_view kParts = "landfall.dev/record-parts";    // how many there are
constexpr const char* kContent = "content";

// A ConfigMap holds a MiB.
constexpr std::size_t kMaxPart = std::size_t{768} << 10U;
constexpr std::size_t kMaxParts = 128;
constexpr int kReadAttempts = 5;
constexpr std::size_t kDigestLength = 16;

Status check_name(const std::string& record) {
  if (record.size() <= k8s::kLabelNameMax && k8s::dns1123_subdomain_problems(record).empty()) return {};
  return fail(Code::kInvalid, "this can be no name of a record: " + quote(record));
}

Result<std::string> content_of(const Json& object) {
  const std::string* text = json::find_string(object, {"binaryData", kContent});
  if (text == nullptr) return fail(Code::kDataLoss, "it has no content");
  auto bytes = base64_decode(*text);
  if (!bytes) return fail(Code::kDataLoss, bytes.error().message());
  return bytes;
}

// What the first part says of the whole.
struct Head {
  std::string digest;
  std::size_t parts = 0;
};

Result<Head> head_of(const Json& object) {
  const k8s::StringMapView annotations = k8s::ObjectView(object).annotations();
  Head head{.digest = std::string(annotations.get(std::string(kDigest)).value_or(""))};
  const std::string_view parts = annotations.get(std::string(kParts)).value_or("");
  const auto [end, error] = std::from_chars(parts.data(), parts.data() + parts.size(), head.parts);
  if (error != std::errc() || end != parts.data() + parts.size() || head.parts == 0 || head.parts > kMaxParts ||
      head.digest.empty()) {
    return fail(Code::kDataLoss, "it does not say what the record consists of");
  }
  return head;
}

}  // namespace

ConfigMapRecords::ConfigMapRecords(kube::Client& client, const std::string& name_space, const Json& restore)
    : config_maps_(client, {"", "v1", "configmaps"}, name_space),
      restore_(k8s::ObjectView(restore).name()),
      uid_(k8s::ObjectView(restore).uid()) {}

std::string ConfigMapRecords::object_name(const std::string& record) const {
  return fmt::format("landfall-{}-{}", uid_, record);
}

std::string ConfigMapRecords::part_name(const std::string& record, std::string_view digest, std::size_t part) const {
  return fmt::format("{}.{}.{}", object_name(record), digest, part);
}

Json ConfigMapRecords::object(const std::string& object_name, const std::string& record, std::string_view bytes) const {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", object_name},
            {"namespace", config_maps_.name_space()},
            {"labels",
             {{std::string(api::label::kRestoreUid), uid_},
              {std::string(kRecord), record},
              {std::string(api::label::kExcludeFromBackup), "true"}}},
            {"ownerReferences", Json::array({{{"apiVersion", api::kRestore.api_version()},
                                              {"kind", std::string(api::kRestore.name)},
                                              {"name", restore_},
                                              {"uid", uid_}}})}}},
          {"binaryData", {{kContent, base64_encode(bytes)}}}};
}

std::string ConfigMapRecords::selector(const std::string& record) const {
  return fmt::format("{}={},{}={}", api::label::kRestoreUid, uid_, kRecord, record);
}

Result<std::vector<std::string>> ConfigMapRecords::list(const std::stop_token& stop) {
  const std::string which = fmt::format("{}={},{},!{}", api::label::kRestoreUid, uid_, kRecord, kPart);
  // Pages hold whole records.
  TRY_ASSIGN(const kube::ObjectList found, "list records of restore " + restore_,
             config_maps_.list({.label_selector = which, .page_size = 20}, stop));
  std::vector<std::string> names;
  names.reserve(found.items.size());
  for (const Json& one : found.items) {
    names.emplace_back(k8s::ObjectView(one).labels().get(std::string(kRecord)).value_or(""));
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> ConfigMapRecords::get(const std::string& name, const std::stop_token& stop) {
  TRY("", check_name(name));
  for (int attempt = 1;; ++attempt) {
    auto whole = read_whole(name, stop);
    // Another was put in its place meanwhile.
    if (!whole && whole.error().code() == Code::kConflict) {
      if (attempt < kReadAttempts) continue;
      return fail(Code::kDataLoss, whole.error().message());
    }
    return whole;
  }
}

// kConflict when a part is missing.
Result<std::string> ConfigMapRecords::read_whole(const std::string& record, const std::stop_token& stop) const {
  const std::string name = object_name(record);
  TRY_ASSIGN(const Json first, "", config_maps_.get(name, stop));
  TRY_ASSIGN(const Head head, "config map " + name, head_of(first));
  TRY_ASSIGN(std::string bytes, "config map " + name, content_of(first));
  for (std::size_t part = 1; part < head.parts; ++part) {
    const std::string next_name = part_name(record, head.digest, part);
    const auto next = config_maps_.get(next_name, stop);
    if (!next && next.error().code() == Code::kNotFound) {
      return fail(Code::kConflict, fmt::format("config map {}: {} is missing", name, next_name));
    }
    if (!next) return fail("", next.error());
    TRY_ASSIGN(const std::string more, "config map " + next_name, content_of(*next));
    bytes += more;
  }
  if (sha256_hex(bytes).substr(0, kDigestLength) != head.digest) {
    return fail(Code::kDataLoss, fmt::format("config map {}: the content is not what was written", name));
  }
  return bytes;
}

Status ConfigMapRecords::put(const std::string& name, std::string_view bytes, const std::stop_token& stop) {
  TRY("", check_name(name));
  const std::size_t parts = std::max<std::size_t>((bytes.size() + kMaxPart - 1) / kMaxPart, 1);
  if (parts > kMaxParts) {
    return fail(Code::kTooLarge, fmt::format("record {}: {} bytes are too many for ConfigMaps", name, bytes.size()));
  }
  const std::string digest = sha256_hex(bytes).substr(0, kDigestLength);
  for (std::size_t part = 1; part < parts; ++part) {
    Json one = object(part_name(name, digest, part), name, bytes.substr(part * kMaxPart, kMaxPart));
    one["metadata"]["labels"][std::string(kPart)] = std::to_string(part);
    one["metadata"]["annotations"][std::string(kDigest)] = digest;
    TRY("", write(one, stop));
  }
  Json first = object(object_name(name), name, bytes.substr(0, kMaxPart));
  first["metadata"]["annotations"] = {{std::string(kDigest), digest}, {std::string(kParts), std::to_string(parts)}};
  TRY_ASSIGN(const bool has_replaced, "", write(first, stop));
  return has_replaced ? remove_other_parts(name, digest, stop) : Status();
}

// Whether there was one already.
Result<bool> ConfigMapRecords::write(const Json& object, const std::stop_token& stop) const {
  const std::string name(k8s::ObjectView(object).name());
  const auto created = config_maps_.create(object, stop);
  if (created) return false;
  if (created.error().code() != Code::kAlreadyExists) return fail("create config map " + name, created.error());
  TRY("replace config map " + name, config_maps_.update(object, stop));
  return true;
}

Status ConfigMapRecords::remove_other_parts(const std::string& record, std::string_view digest,
                                            const std::stop_token& stop) const {
  const std::string which = fmt::format("{},{}", selector(record), kPart);
  TRY_ASSIGN(const kube::ObjectList found, "list parts of a record",
             config_maps_.list({.label_selector = which, .page_size = 20}, stop));
  for (const Json& one : found.items) {
    const k8s::ObjectView view(one);
    if (view.annotations().get(std::string(kDigest)) == digest) continue;
    const auto removed = config_maps_.remove(std::string(view.name()), stop);
    if (!removed && removed.error().code() != Code::kNotFound) return fail("remove a part", removed.error());
  }
  return {};
}

Status ConfigMapRecords::remove(const std::string& name, const std::stop_token& stop) {
  TRY("", check_name(name));
  // The first part first: without it there is no record.
  const auto removed = config_maps_.remove(object_name(name), stop);
  if (!removed && removed.error().code() != Code::kNotFound) {
    return fail("remove config map " + object_name(name), removed.error());
  }
  TRY("remove parts of config map " + object_name(name),
      config_maps_.remove_all({.label_selector = selector(name)}, stop));
  return {};
}

}  // namespace landfall::control
