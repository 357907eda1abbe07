#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "extension/volume_snapshotter.h"
#include "io/memory_file.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "location/drivers.h"

namespace landfall::location {

// A VolumeSnapshotLocation that is ready to be used.
struct OpenedSnapshotLocation {
  std::string provider;                       // "velero.io/aws"
  std::optional<io::MemoryFile> credentials;  // which the snapshotter reads, for as long as it lives
  std::unique_ptr<extension::VolumeSnapshotter> snapshotter;
};

// What Velero calls a provider in full: one without a prefix is its own.
std::string full_provider(std::string_view provider);

// Opens the snapshotter of its provider with spec.config and, where spec.credential names one, the credential as
// `credentialsFile`. Nothing else reaches it: it has no bucket. kUnsupported when nobody here serves the provider.
Result<OpenedSnapshotLocation> open_snapshot_location(const json::Json& location, kube::Client& client,
                                                      const World& world, const std::stop_token& stop);

}  // namespace landfall::location
