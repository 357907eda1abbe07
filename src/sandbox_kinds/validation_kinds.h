#pragma once

#include <string>
#include <string_view>

#include "json/json_fwd.h"
#include "sandbox_kinds/validation.h"

// The rules of single kinds and of the parts that several kinds share; for the validation files of this module. Each
// function adds what it finds to `causes`.
namespace landfall::sandbox {

// validation_metadata.cc
void check_labels(Causes& causes, const std::string& field, const json::Json* labels);
void check_metadata_update(Causes& causes, const json::Json& old, const json::Json& next);

// validation_pod.cc
void check_pod_spec(Causes& causes, const std::string& field, const json::Json& spec);
void check_pod(Causes& causes, const json::Json& pod);

// validation_container.cc
void check_containers(Causes& causes, const std::string& spec_field, const json::Json& spec);

// validation_workload.cc
void check_label_selector(Causes& causes, const std::string& field, const json::Json& selector);
void check_deployment(Causes& causes, const json::Json& object);
void check_replica_set(Causes& causes, const json::Json& object);
void check_stateful_set(Causes& causes, const json::Json& object);
void check_daemon_set(Causes& causes, const json::Json& object);
void check_job(Causes& causes, const json::Json& object);
void check_cron_job(Causes& causes, const json::Json& object);

// validation_config.cc
void check_config_map(Causes& causes, const json::Json& object);
void check_secret(Causes& causes, const json::Json& object);
void check_service(Causes& causes, const json::Json& object);
void check_claim(Causes& causes, const json::Json& object);
void check_volume(Causes& causes, const json::Json& object);

// validation_cluster.cc
void check_role(Causes& causes, const json::Json& object);
void check_cluster_role(Causes& causes, const json::Json& object);
void check_role_binding(Causes& causes, const json::Json& object);
void check_cluster_role_binding(Causes& causes, const json::Json& object);
void check_ingress(Causes& causes, const json::Json& object);
void check_network_policy(Causes& causes, const json::Json& object);
void check_disruption_budget(Causes& causes, const json::Json& object);
void check_autoscaler(Causes& causes, const json::Json& object);
void check_storage_class(Causes& causes, const json::Json& object);
void check_priority_class(Causes& causes, const json::Json& object);
void check_lease(Causes& causes, const json::Json& object);
void check_event(Causes& causes, const json::Json& object);
void check_api_service(Causes& causes, const json::Json& object);

// validation_update.cc: what may not change.
void check_kind_update(Causes& causes, const KindInfo& kind, const json::Json& old, const json::Json& next);

}  // namespace landfall::sandbox
