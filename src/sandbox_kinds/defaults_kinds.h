#pragma once

#include <string_view>

#include "json/json_fwd.h"

// The defaults of the kinds, one function each; for defaults.cc.
namespace landfall::sandbox {

// Writes the amounts of a resource list ("1024Mi", 0.5) as Kubernetes does ("1Gi", "500m").
void normalize_quantities(json::Json& parent, std::string_view key);

// defaults_pod.cc
void default_pod(json::Json& pod);
void default_pod_template(json::Json& holder);  // `template` of the holder
void default_claim_spec(json::Json& spec);

// defaults_workload.cc
void default_deployment(json::Json& object);
void default_replica_set(json::Json& object);
void default_replication_controller(json::Json& object);
void default_stateful_set(json::Json& object);
void default_daemon_set(json::Json& object);
void default_job(json::Json& object);
void default_cron_job(json::Json& object);
void default_pod_template_object(json::Json& object);

// defaults_cluster.cc
void default_service(json::Json& object);
void default_secret(json::Json& object);
void default_persistent_volume(json::Json& object);
void default_persistent_volume_claim(json::Json& object);
void default_limit_range(json::Json& object);
void default_resource_quota(json::Json& object);
void default_endpoints(json::Json& object);
void default_endpoint_slice(json::Json& object);
void default_ingress_class(json::Json& object);
void default_network_policy(json::Json& object);
void default_role(json::Json& object);
void default_role_binding(json::Json& object);
void default_storage_class(json::Json& object);
void default_csi_driver(json::Json& object);
void default_priority_class(json::Json& object);
void default_autoscaler_v1(json::Json& object);
void default_autoscaler_v2(json::Json& object);

// defaults_extension.cc
void default_mutating_webhooks(json::Json& object);
void default_validating_webhooks(json::Json& object);
void default_custom_resource_definition(json::Json& object);
void default_event(json::Json& object);
void default_events_k8s_event(json::Json& object);
void default_node(json::Json& object);
void default_flow_schema(json::Json& object);
void default_api_service(json::Json& object);

}  // namespace landfall::sandbox
