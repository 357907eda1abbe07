#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "json/json.h"
#include "k8s/names.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

struct RequiredName {
  std::string_view source;
  std::string_view field;
};
// Sources of volumes that name another object.
constexpr std::array kRequiredNames = {
    RequiredName{"persistentVolumeClaim", "claimName"},
    RequiredName{"configMap", "name"},
    RequiredName{"secret", "secretName"},
    RequiredName{"hostPath", "path"},
};

void check_volume_source(Causes& causes, const std::string& field, const Json& volume) {
  std::size_t sources = 0;
  // The order in which the server looks at them is not the alphabet's; with two it is the later one that is refused.
  const bool has_empty_dir = value_in(volume, "emptyDir") != nullptr;
  sources += has_empty_dir ? 1U : 0U;
  for (const auto& [key, value] : volume.items()) {
    if (key == "name" || key == "emptyDir" || value.is_null()) {
      continue;
    }
    if (++sources > 1) {
      causes.push_back(forbidden_cause(field + "." + key, "may not specify more than 1 volume type"));
    }
  }
  for (const auto& [source, name] : kRequiredNames) {
    const Json* const given = object_in(volume, source);
    if (given != nullptr && text_in(*given, name).empty()) {
      causes.push_back(required_cause(field + "." + std::string(source) + "." + std::string(name)));
    }
  }
}

void check_volumes(Causes& causes, const std::string& field, const Json& spec) {
  std::set<std::string> names;
  std::size_t index = 0;
  each_object(spec, "volumes", [&](const Json& volume) {
    const std::string place = field + ".volumes[" + std::to_string(index++) + "]";
    const std::string name(text_in(volume, "name"));
    if (name.empty()) {
      causes.push_back(required_cause(place + ".name"));
    } else if (const auto problems = k8s::dns1123_label_problems(name); !problems.empty()) {
      add_problems(causes, place + ".name", name, problems);
    } else if (!names.insert(name).second) {
      causes.push_back(duplicate_cause(place + ".name", name));
    }
    check_volume_source(causes, place, volume);
  });
}

void check_optional_name(Causes& causes, const std::string& field, const Json& spec, std::string_view key,
                         k8s::Problems (*rule)(std::string_view)) {
  if (const std::string_view value = text_in(spec, key); !value.empty()) {
    add_problems(causes, field + "." + std::string(key), value, rule(value));
  }
}

}  // namespace

void check_pod_spec(Causes& causes, const std::string& field, const Json& spec) {
  check_volumes(causes, field, spec);
  check_containers(causes, field, spec);
  add_if_unsupported(causes, field + ".", spec, "restartPolicy", {"Always", "OnFailure", "Never"});
  add_if_unsupported(causes, field + ".", spec, "dnsPolicy",
                     {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  check_labels(causes, field + ".nodeSelector", object_in(spec, "nodeSelector"));
  check_optional_name(causes, field, spec, "serviceAccountName", k8s::dns1123_subdomain_problems);
  check_optional_name(causes, field, spec, "nodeName", k8s::dns1123_subdomain_problems);
  if (const Json* const deadline = value_in(spec, "activeDeadlineSeconds");
      deadline != nullptr && deadline->is_number() && *deadline < 1) {
    causes.push_back(
        invalid_cause(field + ".activeDeadlineSeconds", *deadline, "must be between 1 and 2147483647, inclusive"));
  }
  check_optional_name(causes, field, spec, "hostname", k8s::dns1123_label_problems);
  check_optional_name(causes, field, spec, "subdomain", k8s::dns1123_label_problems);
  check_optional_name(causes, field, spec, "priorityClassName", k8s::dns1123_subdomain_problems);
}

void check_pod(Causes& causes, const Json& pod) {
  const Json nothing = Json::object();
  const Json* const spec = object_in(pod, "spec");
  check_pod_spec(causes, "spec", spec == nullptr ? nothing : *spec);
}

}  // namespace landfall::sandbox
