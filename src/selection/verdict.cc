#include "selection/verdict.h"

namespace landfall::selection {

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kSelected:
      return "Selected";
    case Reason::kNamespaceNotIncluded:
      return "NamespaceNotIncluded";
    case Reason::kNamespaceExcluded:
      return "NamespaceExcluded";
    case Reason::kNamespaceNotActive:
      return "NamespaceNotActive";
    case Reason::kResourceNotIncluded:
      return "ResourceNotIncluded";
    case Reason::kResourceExcluded:
      return "ResourceExcluded";
    case Reason::kClusterScoped:
      return "ClusterScoped";
    case Reason::kLabelsDoNotMatch:
      return "LabelsDoNotMatch";
    case Reason::kExcludedByLabel:
      return "ExcludedByLabel";
    case Reason::kExcludedByPolicy:
      return "ExcludedByPolicy";
    case Reason::kBeingDeleted:
      return "BeingDeleted";
    case Reason::kNotListable:
      return "NotListable";
    case Reason::kStoredUnderAnother:
      return "StoredUnderAnotherGroup";
    case Reason::kNeverRestored:
      return "NeverRestored";
    case Reason::kCompleted:
      return "Completed";
    case Reason::kMirrorPod:
      return "MirrorPod";
  }
  return "Unknown";
}

}  // namespace landfall::selection
