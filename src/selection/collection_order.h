#pragma once

#include <functional>
#include <vector>

#include "kube/discovery.h"
#include "selection/verdict.h"

namespace landfall::selection {

// The kinds in the order in which a backup collects them: the server's groups as they come, but `extensions` last, and
// in the core group pods, then their claims, then volumes, then the rest. Only kinds that can be listed, read, created
// and deleted. Borrows from the discovery.
std::vector<const kube::ApiResource*> collection_order(const kube::Discovery& discovery);

struct PlannedResource {
  const kube::ApiResource* resource = nullptr;
  Verdict verdict = Verdict::in();
};

// The same kinds with the filter's word on each, and those left out that hold the objects of another: of deployments,
// daemonsets and replicasets (extensions, apps), networkpolicies (extensions, networking.k8s.io) and events (core,
// events.k8s.io) the first that the filter lets in is collected. As in Velero, to exclude "events" is therefore not
// enough: events.events.k8s.io takes its place. Kinds that cannot be collected come last, with that reason.
std::vector<PlannedResource> plan_collection(const kube::Discovery& discovery,
                                             const std::function<Verdict(const kube::ApiResource&)>& filter);

}  // namespace landfall::selection
