#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace landfall::k8s {

// Kubernetes' sentences about one field, as they stand in the answers of an API server:
// `metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain must …`. Pure.

// Where Kubernetes' own code knows no path it prints this.
inline constexpr std::string_view kNoFieldPath = "<nil>";

std::string invalid_value(std::string_view path, std::string_view value, std::string_view detail);
// The same for a list; an empty one prints as null.
std::string invalid_value(std::string_view path, const std::vector<std::string>& values, std::string_view detail);

// One error stands for itself, several become "[first, second]"; equal ones are named once.
std::string aggregate(const std::vector<std::string>& errors);

}  // namespace landfall::k8s
