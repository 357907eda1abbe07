#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_index.h"
#include "kube/discovery.h"

// Which of the versions that a backup has of a kind is restored: the feature EnableAPIGroupVersions.
namespace landfall::restore {

// What users prefer: lines "resource.group=v2,v1". Lines that cannot be read are passed over, as in Velero.
std::map<std::string, std::vector<std::string>> parse_version_priorities(std::string_view text);

// The version whose form is restored; empty: the plain form, which is the source cluster's preferred one. In this
// order: the user's first choice that both sides have; the version that this cluster prefers, if the backup has it; the
// one that the source preferred, if this cluster serves it; the best one that both have.
std::string choose_version(const archive::IndexedResource& resource, const kube::Discovery& discovery,
                           const std::vector<std::string>& user_choice);

}  // namespace landfall::restore
