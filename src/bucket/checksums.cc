#include "bucket/checksums.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "bucket/verified_reader.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::bucket {
namespace {

using json::Json;

constexpr std::size_t kHexDigits = 64;

Json digest_to_json(const Digest& digest) { return {{"sha256", digest.sha256}, {"size", digest.size}}; }

Result<Digest> digest_from_json(const Json& entry) {
  Digest digest{.sha256 = json::string_or(entry, {"sha256"}, "")};
  const auto size = json::int_at(entry, {"size"});
  if (!size || *size < 0) return fail(Code::kDataLoss, "size: expected a number");
  digest.size = static_cast<std::uint64_t>(*size);
  const bool is_hex =
      std::ranges::all_of(digest.sha256, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (digest.sha256.size() != kHexDigits || !is_hex) {
    return fail(Code::kDataLoss, "sha256: expected 64 digits of lower-case hexadecimal");
  }
  return digest;
}

Result<Checksum> checksum_from_json(const Json& entry) {
  Checksum checksum;
  TRY_ASSIGN(checksum.current, "", digest_from_json(entry));
  checksum.may_be_absent = json::bool_or(entry, {"mayBeAbsent"}, false);
  const Json* previous = json::find(entry, {"previous"});
  if (previous == nullptr) return checksum;
  if (!previous->is_array()) return fail(Code::kDataLoss, "previous: expected a list");
  for (const Json& one : *previous) {
    TRY_ASSIGN(Digest digest, "previous", digest_from_json(one));
    checksum.previous.push_back(std::move(digest));
  }
  return checksum;
}

}  // namespace

Result<Digest> digest_of(const extension::ObjectSource& source) {
  TRY_ASSIGN(const auto bytes, "", source.open());
  VerifiedReader reader(*bytes, [](std::uint64_t) {});
  TRY("", drain(reader));
  return reader.finish();
}

bool Checksum::fits(const Digest& found) const {
  return found == current || std::ranges::find(previous, found) != previous.end();
}

void Checksums::announce(const std::string& file, Digest digest) {
  const auto [place, is_new] = files.try_emplace(file);
  Checksum& checksum = place->second;
  if (is_new) {
    checksum.may_be_absent = true;
  } else if (checksum.current != digest) {
    checksum.previous.push_back(std::move(checksum.current));
  }
  std::erase(checksum.previous, digest);
  checksum.current = std::move(digest);
}

void Checksums::settle(const std::string& file) {
  const auto place = files.find(file);
  if (place == files.end()) return;
  place->second.previous.clear();
  place->second.may_be_absent = false;
}

Json to_json(const Checksums& checksums) {
  Json files = Json::object();
  for (const auto& [file, checksum] : checksums.files) {
    files[file] = digest_to_json(checksum.current);
    for (const Digest& previous : checksum.previous) files[file]["previous"].push_back(digest_to_json(previous));
    if (checksum.may_be_absent) files[file]["mayBeAbsent"] = true;
  }
  return {{"version", 1}, {"files", std::move(files)}};
}

Result<Checksums> checksums_from_json(const Json& document) {
  const Json* version = json::find(document, {"version"});
  if (version != nullptr && version->is_number_integer() && *version > 1) {
    return fail(Code::kUnsupported, "the checksums are of a newer version of Landfall and cannot be used");
  }
  if (version == nullptr || *version != 1) return fail(Code::kDataLoss, "checksums: expected version 1");
  const Json* files = json::find(document, {"files"});
  if (files == nullptr || !files->is_object()) return fail(Code::kDataLoss, "checksums: files: expected an object");
  Checksums out;
  for (const auto& [file, entry] : files->items()) {
    TRY_ASSIGN(out.files[file], "checksums: " + quote(file), checksum_from_json(entry));
  }
  return out;
}

}  // namespace landfall::bucket
