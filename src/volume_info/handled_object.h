#pragma once

#include <cstdint>

#include "k8s/object_ref.h"

namespace landfall::volume_info {

// A claim or a PersistentVolume that a restore has handled: mappings and modifiers may have given it other names.
struct HandledObject {
  enum class End : std::uint8_t {
    kCreated,
    kFound,    // it was there before
    kLeftOut,  // on purpose, by an item action or since a new one takes its place
    kFailed,
  };
  k8s::NamespacedName original;  // in the backup
  k8s::NamespacedName now;       // in the cluster
  End end = End::kCreated;

  friend bool operator==(const HandledObject&, const HandledObject&) = default;
};

}  // namespace landfall::volume_info
