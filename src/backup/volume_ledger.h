#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "json/json_fwd.h"
#include "k8s/object_ref.h"

namespace landfall::backup {

// What a volume may be skipped for: Velero's words for the ways of taking a volume's data.
namespace approach {
inline constexpr std::string_view kPodVolume = "podvolume";
inline constexpr std::string_view kVolumeSnapshot = "volumeSnapshot";
inline constexpr std::string_view kCsiSnapshot = "csiSnapshot";
}  // namespace approach

// Keeps account of the volumes of a backup: each PersistentVolume in it becomes a row of `NAME-volumeinfo.json.gz`,
// with the reasons why its data was not taken. Thread-safe.
class VolumeLedger {
 public:
  VolumeLedger();
  ~VolumeLedger();
  VolumeLedger(const VolumeLedger&) = delete;
  VolumeLedger& operator=(const VolumeLedger&) = delete;

  // A PersistentVolume is in the backup.
  void stored(const json::Json& volume);
  void skipped(const std::string& volume, std::string_view approach, std::string why);
  // The same where only the claim is known, as a pod names it.
  void claim_skipped(const k8s::NamespacedName& claim, std::string_view approach, std::string why);

  // The file's document: rows by the names of the volumes.
  json::Json rows() const;

 private:
  struct State;
  Guarded<std::unique_ptr<State>> state_;
};

}  // namespace landfall::backup
