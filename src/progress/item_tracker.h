#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "progress/item_id.h"
#include "progress/progress.h"

namespace landfall::progress {

// Reasons that the tracker itself gives for not selecting an item.
inline constexpr std::string_view kAlreadyCovered = "already covered";  // another source took the same target
inline constexpr std::string_view kNotConsidered = "not considered";    // seen, then neither planned nor refused

// Counts the items of one operation as sets, not as running sums: saying a thing twice, or in another order, or from
// another worker, gives the same counts. The promises are those of ItemCounts.
//
// Life: a restore says what the archive holds (seen) and what it makes of each item (planned, not_selected), then that
// this is all (collected), then what happens (added, done). A backup has no archive yet: it plans, adds and is done.
// The promises hold in any order of calls, but say what the archive holds first: an item that is asked for before it is
// seen counts as not in the backup. What is done before there is a total counts once there is one. An item that is part
// of the total stays in it.
//
// Keeps the names of all items, about 130 bytes each. Not thread-safe.
class ItemTracker {
 public:
  // The archive holds this item.
  void seen(const ItemId& source);

  // To be done. Planned items come from the archive: this is seen() and added().
  void planned(const ItemId& target, const ItemId& source);
  void planned(const ItemId& id) { planned(id, id); }

  // The archive's item is left alone. Does nothing if it is already part of the total; of two reasons the later counts.
  // Reasons are a few fixed phrases: each is a line in the status.
  void not_selected(const ItemId& source, std::string_view reason);

  // Collection is final: from now on there is a total.
  void collected() { collected_ = true; }
  bool is_collected() const { return collected_; }

  // Somebody asks for it, for example an item action. Already part of the total: nothing changes; not selected: it
  // moves to the total; not in the archive: it raises the total and not_in_backup.
  void added(const ItemId& target, const ItemId& source);
  void added(const ItemId& id) { added(id, id); }

  // Handled; whoever was not part of the total is from now on. Said again with another outcome, the stronger one
  // counts, whichever came first: failed, created, updated, skipped, unchanged. So a failure is never hidden, and what
  // was done to the cluster is not forgotten when the item comes up a second time.
  // True if it was the first time.
  bool done(const ItemId& target, Outcome outcome);

  ItemCounts counts() const;

 private:
  enum class Archived : std::uint8_t { kNo, kUndecided, kRefused, kTaken };
  enum class Wanted : std::uint8_t { kNo, kYes, kFromArchive };

  // What is known under one name: as a source (archived, reason) and, apart from that, as a target (wanted, outcome).
  struct Entry {
    std::uint32_t reason = 0;  // an index of reason_counts_, while refused
    Archived archived = Archived::kNo;
    Wanted wanted = Wanted::kNo;
    bool done = false;
    Outcome outcome = Outcome::kCreated;
  };
  // Ordered maps: names come from outside, and no choice of names can make these slow. Kinds and namespaces are stored
  // once.
  using Names = std::map<std::string, Entry, std::less<>>;
  using Namespaces = std::map<std::string, Names, std::less<>>;

  Entry& entry(const ItemId& id);
  void want(Entry& target);
  void refuse(Entry& source, std::string_view reason);
  void leave_set(const Entry& source);

  std::map<std::string, Namespaces, std::less<>> kinds_;
  std::map<std::string, std::uint32_t, std::less<>> reasons_;
  std::vector<std::int64_t> reason_counts_;
  bool collected_ = false;

  // Sizes of the sets that the entries describe.
  std::int64_t archived_ = 0;
  std::int64_t undecided_ = 0;
  std::int64_t wanted_ = 0;
  std::int64_t from_archive_ = 0;
  OutcomeCounts outcomes_;
};

}  // namespace landfall::progress
