#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

// Of one artifact. While it is being replaced several contents are right: whichever a crash leaves behind.
struct Checksum {
  Digest current;
  std::vector<Digest> previous;  // announced or stored before, and not known to be gone
  bool may_be_absent = false;    // announced, and not known to be there
  bool fits(const Digest& found) const;
};

// What `NAME-checksums.json` says: the artifacts of a backup by file name.
struct Checksums {
  std::map<std::string, Checksum, std::less<>> files;

  // The file is about to get this content: from now on it is right as well as what may be there already.
  void announce(const std::string& file, Digest digest);
  // The announced content is there: only it is right now.
  void settle(const std::string& file);
};

json::Json to_json(const Checksums& checksums);
// kDataLoss for what is no such document.
Result<Checksums> checksums_from_json(const json::Json& document);

}  // namespace landfall::bucket
