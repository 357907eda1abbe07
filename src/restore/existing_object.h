#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"

namespace landfall::restore {

// What becomes of an object that is in the cluster already.
enum class ExistingFate : std::uint8_t {
  kUnchanged,  // it is the same
  kRelabel,    // the same, and gets the labels of this restore: policy update
  kMerge,      // a ServiceAccount gets what it lacks
  kUpdate,     // it becomes what the backup has: policy update
  kConflict,   // it differs, and is left as it is
};

// The comparison of a live object with what would be restored in its place.
class ExistingObject {
 public:
  // `desired` is ready to be created, with the labels of the restore. managedFields do not count: they say who wrote an
  // object, not what it is. kInvalid for a live object without metadata.
  static Result<ExistingObject> compare(json::Json live, const json::Json& desired, const k8s::GroupResource& resource,
                                        std::string_view policy);

  ExistingObject(ExistingObject&&) noexcept;
  ExistingObject& operator=(ExistingObject&&) noexcept;
  ExistingObject(const ExistingObject&) = delete;
  ExistingObject& operator=(const ExistingObject&) = delete;
  ~ExistingObject();

  ExistingFate fate() const { return fate_; }
  // A merge patch: of kMerge and kUpdate, what makes it so; of kRelabel, the labels.
  const json::Json& patch() const;
  // A merge patch of nothing but the labels: what is tried when the other one is refused.
  const json::Json& label_patch() const;
  // Where it differs, a few paths.
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  ExistingObject();
  ExistingFate fate_ = ExistingFate::kUnchanged;
  struct Patches;
  std::unique_ptr<Patches> patches_;
  std::vector<std::string> differences_;
};

}  // namespace landfall::restore
