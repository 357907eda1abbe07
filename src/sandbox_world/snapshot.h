#pragma once

#include <cstddef>
#include <filesystem>

#include "base/result.h"
#include "sandbox/store.h"

// All objects of a sandbox in one file, to go on from later.
//
// A text of lines: a header ({"format":"landfall-sandbox","version":1,"revision":812,"objects":3}), a line for each
// object ({"resource":"deployments.apps","object":{…}}), and the SHA-256 of everything before ({"sha256":"…"}).
// Readable by the user alone: it holds Secrets.
namespace landfall::sandbox {

inline constexpr std::string_view kSnapshotName = "objects.snapshot";

// Never half written: an older snapshot stays until the new one is whole. Returns how many objects it holds. The caller
// sees to it that nothing changes meanwhile.
Result<std::size_t> save_snapshot(const Store& store, const std::filesystem::path& path);

// Puts the objects of a snapshot into an empty store: same uids, new resource versions above all that there were.
// kNotFound without a file; kDataLoss or kUnsupported, in words that say what to do, for one that is damaged or not
// ours: the store is to be thrown away then.
Result<std::size_t> load_snapshot(Store& store, const std::filesystem::path& path);

}  // namespace landfall::sandbox
