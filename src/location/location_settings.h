#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "io/memory_file.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "location/drivers.h"

namespace landfall::location {

// What a BackupStorageLocation says, with the Secrets that it refers to.
struct LocationSettings {
  std::string provider;
  Config config;
  std::optional<io::MemoryFile> credentials;  // the file that `credentialsFile` names
};

// One that names no credential gets those that Velero's installer gives to the server (the Secret cloud-credentials),
// unless the environment brings others.
Result<LocationSettings> read_settings(const json::Json& location, kube::Client& client, const World& world,
                                       const std::stop_token& stop);

// A key of a Secret, decoded. kNotFound for either.
Result<std::string> read_secret(kube::Client& client, const std::string& name_space, const std::string& secret,
                                const std::string& key, const std::stop_token& stop);

}  // namespace landfall::location
