#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "extension/uploader.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "location/drivers.h"

namespace landfall::location {

// The Secret that holds the password of all repositories, as Velero made it: key `repository-password`, and the
// password that everybody gets who does not choose one.
inline constexpr std::string_view kRepositorySecret = "velero-repo-credentials";
inline constexpr std::string_view kRepositoryPasswordKey = "repository-password";
inline constexpr std::string_view kDefaultRepositoryPassword = "static-passw0rd";

// Where the volumes of a namespace are kept in a location: `<prefix>/<type>/<namespace>` of its bucket, and what opens
// it. kUnsupported for a provider whose buckets the uploaders cannot reach, kInvalid for what cannot be a namespace.
Result<extension::RepositoryAccess> repository_access(const json::Json& location, std::string_view type,
                                                      std::string_view volume_namespace, kube::Client& client,
                                                      const World& world, const std::stop_token& stop);

// Makes the Secret with the default password where there is none.
Status ensure_repository_password(kube::Client& client, const std::string& name_space, const std::stop_token& stop);

}  // namespace landfall::location
