#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/clock.h"

// What an operation publishes: plain values. How they become fields of a resource is the business of `api`.

namespace landfall::progress {

// What became of an item. A backup says kCreated for an item that it stored.
enum class Outcome : std::uint8_t { kCreated, kUpdated, kUnchanged, kSkipped, kFailed };

enum class ItemStep : std::uint8_t {
  kCollecting,  // a backup or a restore finds out what there is to do
  kBackingUpItems,
  kBackingUpVolumes,
  kUploading,
  kRestoringItems,
  kRestoringVolumes,
  kRunningHooks,
  kFinalizing,
};

enum class ByteStep : std::uint8_t { kScanning, kTransferring, kFinishing };

// The names that status.progress.step shows: "RestoringItems". Reading back gives nothing for a name that is not ours.
std::string_view to_string(Outcome outcome);
std::string_view to_string(ItemStep step);
std::string_view to_string(ByteStep step);
std::optional<ItemStep> parse_item_step(std::string_view name);
std::optional<ByteStep> parse_byte_step(std::string_view name);

struct OutcomeCounts {
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t skipped = 0;
  std::int64_t failed = 0;

  std::int64_t& operator[](Outcome outcome);
  std::int64_t sum() const { return created + updated + unchanged + skipped + failed; }
  friend bool operator==(const OutcomeCounts&, const OutcomeCounts&) = default;
};

// Once there is a total, it holds at every moment that
//   outcomes.sum() == done <= total, and in_backup == (total - not_in_backup) + not_selected.
// From one moment to the next, neither `total` nor `done` goes down.
struct ItemCounts {
  std::optional<std::int64_t> total;  // none before collection is final
  std::int64_t done = 0;              // itemsBackedUp or itemsRestored: handled, whatever the outcome
  std::int64_t in_backup = 0;         // items in the archive
  std::int64_t not_selected = 0;      // of those, the ones left alone …
  std::map<std::string, std::int64_t> not_selected_by_reason;  // … and why; the counts add up to not_selected
  std::int64_t not_in_backup = 0;                              // part of the total, but not from the archive
  OutcomeCounts outcomes;

  friend bool operator==(const ItemCounts&, const ItemCounts&) = default;
};

// Once there is a total, done <= total; done never goes down.
struct ByteCounts {
  std::optional<ByteCount> total;  // none while it is being scanned
  ByteCount done;

  friend bool operator==(const ByteCounts&, const ByteCounts&) = default;
};

// Nothing has moved for a while.
struct Stall {
  WallTime since;      // when something last moved
  std::string reason;  // empty: not known
  std::string item;    // what it hangs on, as text; empty: not known

  friend bool operator==(const Stall&, const Stall&) = default;
};

// Of a Backup or a Restore.
struct ItemProgress {
  ItemCounts items;
  ItemStep step = ItemStep::kCollecting;
  std::string current;  // what is being done now, for people
  std::optional<std::int64_t> items_per_minute;
  std::optional<WallTime> estimated_completion;  // of the step; whole seconds
  std::optional<Stall> stalled;

  friend bool operator==(const ItemProgress&, const ItemProgress&) = default;
};

// Of one volume.
struct ByteProgress {
  ByteCounts bytes;
  ByteStep step = ByteStep::kScanning;
  std::string current;
  std::optional<ByteCount> bytes_per_second;
  std::optional<WallTime> estimated_completion;
  std::optional<Stall> stalled;

  friend bool operator==(const ByteProgress&, const ByteProgress&) = default;
};

}  // namespace landfall::progress
