#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace landfall::selection {

// Why something is left out, in words that a program can count: `status.progress.notSelected` has these as keys.
enum class Reason {
  kSelected,              // it is not left out
  kNamespaceNotIncluded,  // the include list of namespaces does not have it
  kNamespaceExcluded,
  kNamespaceNotActive,
  kResourceNotIncluded,  // the include list of resources does not have it
  kResourceExcluded,
  kClusterScoped,       // cluster-scoped resources are off, or not asked for
  kLabelsDoNotMatch,    // no label selector matches
  kExcludedByLabel,     // velero.io/exclude-from-backup=true
  kExcludedByPolicy,    // a filter of the resource policies
  kBeingDeleted,        // it has a deletionTimestamp
  kNotListable,         // the server cannot list, get, create and delete it
  kStoredUnderAnother,  // the same objects, served by two groups
  kNeverRestored,       // nodes, events, Velero's own records
  kCompleted,           // a finished pod or job
  kMirrorPod,           // the kubelet makes it from a file
};

// "NamespaceExcluded". Stable: it is part of what users see and scripts read.
std::string_view to_string(Reason reason);

// The answer to "is it in, and if not, why?". An immutable value.
class [[nodiscard]] Verdict {
 public:
  static Verdict in() { return {Reason::kSelected, {}}; }
  // `why` is a sentence for people, without a dot: "namespace "shop" is excluded by "sh*"".
  static Verdict out(Reason reason, std::string why) { return {reason, std::move(why)}; }

  bool is_in() const { return reason_ == Reason::kSelected; }
  explicit operator bool() const { return is_in(); }
  Reason reason() const { return reason_; }
  // Never empty when it is out.
  const std::string& why() const { return why_; }

 private:
  Verdict(Reason reason, std::string why) : reason_(reason), why_(std::move(why)) {}

  Reason reason_;
  std::string why_;
};

}  // namespace landfall::selection
