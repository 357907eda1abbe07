#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::k8s {

// The rules that Kubernetes 1.34 has for names, and its words for what breaks them. Each function returns what is wrong
// with a value, an empty list when it is valid. Lengths are bytes, as in Kubernetes, whatever its messages say. Pure.
using Problems = std::vector<std::string>;

inline constexpr std::size_t kLabelNameMax = 63;       // DNS labels, label values, the name part of a key
inline constexpr std::size_t kSubdomainNameMax = 253;  // most object names, the prefix of a key

// Namespaces, and the parts of a subdomain.
Problems dns1123_label_problems(std::string_view value);
// What most object names must be.
Problems dns1123_subdomain_problems(std::string_view value);
// Names of Services.
Problems dns1035_label_problems(std::string_view value);
// `name` or `prefix/name`: label keys, conditions, capabilities.
Problems qualified_name_problems(std::string_view value);
Problems label_value_problems(std::string_view value);
// Like a label key, but upper and lower case are the same in the prefix too.
Problems annotation_key_problems(std::string_view value);
// The loosest rule, for kinds such as ClusterRole: whatever may stand between two slashes of a URL.
Problems path_segment_problems(std::string_view value);
Problems port_name_problems(std::string_view value);
Problems finalizer_name_problems(std::string_view value);
// Keys of a ConfigMap or Secret.
Problems config_key_problems(std::string_view value);

// The problems as one text, joined as Kubernetes does where an error has room for one sentence only.
std::string joined(const Problems& problems);

// The name as it appears in a label's value. Velero cuts a name of more than 63 bytes to its first 57 and adds the
// first six hex digits of its SHA-256; whoever writes the label and whoever asks for it must do the same. Bytes, not
// characters: a cut may go through the middle of one.
std::string label_safe(std::string_view name);

}  // namespace landfall::k8s
