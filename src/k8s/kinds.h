#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::k8s {

// How Kubernetes names its types. The core group is the empty string. Plain values; all of them sort by their parts in
// the order in which they are declared. Parsing is as forgiving as Kubernetes' own: any text is some group and
// resource.

struct GroupVersion {
  std::string group;
  std::string version;

  friend auto operator<=>(const GroupVersion&, const GroupVersion&) = default;
};

struct GroupKind {
  std::string group;
  std::string kind;

  friend auto operator<=>(const GroupKind&, const GroupKind&) = default;
};

struct GroupResource {
  std::string group;
  std::string resource;  // plural, lower case: "deployments"

  friend auto operator<=>(const GroupResource&, const GroupResource&) = default;
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  GroupVersion group_version() const { return {group, version}; }
  GroupKind group_kind() const { return {group, kind}; }
  friend auto operator<=>(const GroupVersionKind&, const GroupVersionKind&) = default;
};

struct GroupVersionResource {
  std::string group;
  std::string version;
  std::string resource;

  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, resource}; }
  friend auto operator<=>(const GroupVersionResource&, const GroupVersionResource&) = default;
};

// "apps/v1"; "v1" in the core group. This is what an `apiVersion` field holds.
std::string to_string(const GroupVersion& value);
// "Deployment.apps"; "Pod" in the core group.
std::string to_string(const GroupKind& value);
// "deployments.apps"; "pods" in the core group. Velero's archives, priorities and include lists use this form.
std::string to_string(const GroupResource& value);
// "apps/v1, Kind=Deployment" and "/v1, Kind=Pod", as Kubernetes' messages have them.
std::string to_string(const GroupVersionKind& value);
std::string to_string(const GroupVersionResource& value);

// An `apiVersion`. Empty text and "/" are the empty group and version, as in Kubernetes; a second slash is an error.
Result<GroupVersion> parse_group_version(std::string_view text);
// Everything after the first dot is the group.
GroupKind parse_group_kind(std::string_view text);
GroupResource parse_group_resource(std::string_view text);
// The kind with the group and version of an `apiVersion`; an apiVersion that cannot be read leaves both empty.
GroupVersionKind kind_of(std::string_view api_version, std::string_view kind);

// Which of two versions Kubernetes prefers: greater is better. v2 > v1 > v2beta1 > v1beta2 > v1beta1 > v1alpha1 > all
// other texts, of which the one that sorts first is better.
std::strong_ordering compare_versions(std::string_view a, std::string_view b);

}  // namespace landfall::k8s
