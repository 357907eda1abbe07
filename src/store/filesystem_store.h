#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "extension/object_store.h"

namespace landfall::store {

// Settings of a storage location, as the server hands them to a driver.
using StoreConfig = std::map<std::string, std::string>;

// A bucket that is a directory: `<path>/<bucket>`, in which an object is a file and "/" in keys makes folders. Made for
// volumes that are mounted where Landfall runs, NFS included.
//
// Settings: `path` (absolute) and `bucket` are needed; `prefix`, `caCert` and `credentialsFile` are for others and
// ignored; any other is kInvalid. The directory must exist, or it is kNotFound, now and in every later call: a volume
// that is not mounted is an error, not an empty bucket.
//
// An object is written to a temporary file beside its place, synced and renamed, so that it is whole whoever reads,
// writes or crashes, in this process or another. Symbolic links in the bucket are never followed, and only regular
// files are objects. What a file system cannot do is kInvalid: "a" and "a/b" as two objects, and names that we give to
// temporary files. Files that cannot be objects because of their names are left out of listings, and logged.
Result<std::unique_ptr<extension::ObjectStore>> open_filesystem(const StoreConfig& config, const Logger& log);

// Creates the directory of a bucket in `path`, which must exist. No error when it is there already.
Status make_bucket(const std::string& path, const std::string& bucket);

}  // namespace landfall::store
