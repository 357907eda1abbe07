#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "extension/object_source.h"
#include "json/json_fwd.h"

namespace landfall::bucket {

// What tells one content from any other.
struct Digest {
  std::string sha256;  // in hexadecimal
  std::uint64_t size = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};

// Reads the source to its end.
Result<Digest> digest_of(const extension::ObjectSource& source);

// Of one artifact. While an artifact is being replaced both contents are right: whichever a crash left behind.
struct Checksum {
  Digest current;
  std::optional<Digest> previous;
  bool fits(const Digest& found) const { return found == current || found == previous; }
};

// What `NAME-checksums.json` says: the artifacts of a backup by file name.
struct Checksums {
  std::map<std::string, Checksum, std::less<>> files;

  // Notes the new content of a file; what it was until now stays right until settled() is written.
  void replace(const std::string& file, Digest digest);
  Checksums settled() const;
};

json::Json to_json(const Checksums& checksums);
// kDataLoss for what is no such document.
Result<Checksums> checksums_from_json(const json::Json& document);

}  // namespace landfall::bucket
