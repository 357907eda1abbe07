#pragma once

#include <string>

#include "kube/client.h"
#include "kube/discovery.h"

// Taking away what a story has left in a cluster that has no controllers to do so. Throws what goes wrong.
namespace landfall::stories {

// One object and its finalizers; no error when it is not there.
void sweep_object(kube::Client& client, const kube::ApiResource& resource, const std::string& name_space,
                  const std::string& name);

// A namespace, after everything in it.
void sweep_namespace(kube::Client& client, const kube::Discovery& discovery, const std::string& name);

}  // namespace landfall::stories
