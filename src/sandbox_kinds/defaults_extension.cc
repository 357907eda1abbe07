#include <initializer_list>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "json/json.h"
#include "sandbox_kinds/defaults_kinds.h"
#include "sandbox_kinds/document_parts.h"

// Defaults of what extends the server (webhooks, custom resources) and of what components report to it.
namespace landfall::sandbox {
namespace {

using json::Json;

constexpr int kHttpsPort = 443;

void default_webhook(Json& hook) {
  constexpr int kTimeoutSeconds = 10;
  put_missing(hook, "failurePolicy", "Fail");
  put_missing(hook, "matchPolicy", "Equivalent");
  put_missing(hook, "timeoutSeconds", kTimeoutSeconds);
  make_object(hook, "namespaceSelector");
  make_object(hook, "objectSelector");
  if (Json* const client = make_object(hook, "clientConfig")) {
    if (Json* const service = object_in(*client, "service")) {
      put_missing(*service, "port", kHttpsPort);
    }
  }
  each_object(hook, "rules", [](Json& rule) { put_missing(rule, "scope", "*"); });
}

// What a typed server writes even where it is empty.
void show_empty(Json& object, std::initializer_list<const char*> texts, std::initializer_list<const char*> times) {
  for (const char* const field : texts) {
    put_missing(object, field, "");
  }
  for (const char* const field : times) {
    if (value_in(object, field) == nullptr) {
      object[field] = nullptr;
    }
  }
}

void default_conversion(Json& spec) {
  Json* const conversion = make_object(spec, "conversion");
  if (conversion == nullptr) {
    return;
  }
  put_text(*conversion, "strategy", "None");
  Json* const webhook = object_in(*conversion, "webhook");
  Json* const client = webhook == nullptr ? nullptr : object_in(*webhook, "clientConfig");
  Json* const service = client == nullptr ? nullptr : object_in(*client, "service");
  if (service != nullptr) {
    put_missing(*service, "port", kHttpsPort);
  }
}

}  // namespace

void default_validating_webhooks(Json& object) { each_object(object, "webhooks", default_webhook); }

void default_mutating_webhooks(Json& object) {
  each_object(object, "webhooks", [](Json& hook) {
    default_webhook(hook);
    put_missing(hook, "reinvocationPolicy", "Never");
  });
}

void default_custom_resource_definition(Json& object) {
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  if (Json* const names = make_object(*spec, "names")) {
    const std::string kind(text_in(*names, "kind"));
    if (!kind.empty()) {
      put_text(*names, "singular", to_lower(kind));
      put_text(*names, "listKind", kind + "List");
    }
  }
  if (!is_true_in(*spec, "preserveUnknownFields")) {
    drop(*spec, "preserveUnknownFields");
  }
  default_conversion(*spec);
}

void default_event(Json& object) {
  make_object(object, "involvedObject");
  make_object(object, "source");
  show_empty(object, {"reportingComponent", "reportingInstance"}, {"firstTimestamp", "lastTimestamp", "eventTime"});
}

void default_events_k8s_event(Json& object) {
  make_object(object, "regarding");
  make_object(object, "deprecatedSource");
  show_empty(object, {}, {"deprecatedFirstTimestamp", "deprecatedLastTimestamp", "eventTime"});
}

void default_flow_schema(Json& object) {
  constexpr int kPrecedence = 1000;
  if (Json* const spec = make_object(object, "spec")) {
    put_missing(*spec, "matchingPrecedence", kPrecedence);
  }
}

void default_api_service(Json& object) {
  Json* const spec = make_object(object, "spec");
  Json* const service = spec == nullptr ? nullptr : object_in(*spec, "service");
  if (service != nullptr) {
    put_missing(*service, "port", kHttpsPort);
  }
}

void default_node(Json& object) {
  make_object(object, "spec");
  Json* const status = make_object(object, "status");
  if (status == nullptr) {
    return;
  }
  normalize_quantities(*status, "capacity");
  // What can be given to pods is the whole machine, unless something is said about it.
  const Json* const capacity = object_in(*status, "capacity");
  if (capacity != nullptr && !capacity->empty()) {
    put_missing(*status, "allocatable", Json(*capacity));
  }
  normalize_quantities(*status, "allocatable");
  if (Json* const endpoints = make_object(*status, "daemonEndpoints")) {
    if (Json* const kubelet = make_object(*endpoints, "kubeletEndpoint")) {
      put_missing(*kubelet, "Port", 0);
    }
  }
  if (Json* const info = make_object(*status, "nodeInfo")) {
    show_empty(*info,
               {"machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion",
                "kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"},
               {});
  }
}

}  // namespace landfall::sandbox
