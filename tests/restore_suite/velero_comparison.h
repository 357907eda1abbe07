#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/json.h"
#include "kube/client.h"
#include "kube/discovery.h"

// What a restore left in a cluster, in the form in which real Velero's was written down
// (tests/data/restored-by-velero).
namespace landfall::restore_suite {

// Every object of the resources that `like` has, "resource[.group]/[namespace/]name" to the object, without what
// differs by nature: uid, resourceVersion, creationTimestamp, managedFields, generation, owners' uids. Only objects
// that the restore has made or that `like` has, so that what a cluster brings along does not count.
std::map<std::string, json::Json> objects_like(const std::map<std::string, json::Json>& like, kube::Client& client,
                                               const std::string& restore_name);

std::map<std::string, json::Json> stored_objects(const std::string& path);

// One line for each difference.
std::vector<std::string> differences(const std::map<std::string, json::Json>& theirs,
                                     const std::map<std::string, json::Json>& ours);

}  // namespace landfall::restore_suite
