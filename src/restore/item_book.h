#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "progress/progress.h"
#include "restore/findings.h"
#include "restore/plan.h"

namespace landfall::restore {

// What the resource list says of an item, in Velero's words.
enum class Listed : std::uint8_t { kNot, kCreated, kUpdated, kFailed, kSkipped };
std::string_view to_string(Listed listed);  // "created" …; "" for kNot

// How an item ended.
struct ItemEnd {
  progress::Outcome outcome = progress::Outcome::kSkipped;
  Listed listed = Listed::kSkipped;
  bool exists = false;       // there is such an object now
  std::string type;          // as in the backup: "apps/v1/Deployment"
  std::string created_name;  // where it is not the name in the backup
  std::vector<Finding> findings;
  // Of a preview.
  std::optional<PlannedGroup::Forecast> forecast;
};

// What is known of every item of the archive, by its number: who works on it, and how it ended. An item is handled
// once, whoever asks for it: others wait until it is over. Takes four bytes an item, and more for the few with
// something to say. Thread-safe.
class ItemBook {
 public:
  explicit ItemBook(std::size_t items);

  // Who works: each worker has its own, from 0 on.
  using Worker = std::uint32_t;

  enum class Claim : std::uint8_t {
    kMine,     // to be ended by the caller
    kOver,     // it had ended before
    kCycle,    // whoever has it waits for the caller: go on without it, as if it were there
    kStopped,  // the stop came first
  };
  Claim claim(std::uint32_t number, Worker worker, Clock& clock, const std::stop_token& stop);

  void end(std::uint32_t number, ItemEnd end);
  // Nobody works on it any more, and it has not ended.
  void give_up(std::uint32_t number);

  bool is_over(std::uint32_t number) const;
  // Whether the object is there, of one that is over.
  bool exists(std::uint32_t number) const;

  struct Entry {
    std::uint32_t number = 0;
    Listed listed = Listed::kNot;
    std::string_view type;
    std::string_view created_name;  // empty: its own
  };
  // All that have ended, by number. Only when nobody works any more.
  std::vector<Entry> ended() const;
  std::vector<Finding> findings() const;  // of all, by number
  std::optional<PlannedGroup::Forecast> forecast(std::uint32_t number) const;

 private:
  enum class Stage : std::uint8_t { kNew, kHeld, kOver };
  struct State {
    Stage stage = Stage::kNew;
    Listed listed = Listed::kNot;
    bool exists = false;
    std::uint16_t type = 0;  // an index of types
  };
  struct All {
    std::vector<State> items;
    std::vector<std::string> types;
    std::map<std::uint32_t, Worker> holders;
    std::map<Worker, std::uint32_t> waits;  // for which item
    std::map<std::uint32_t, std::string> created_names;
    std::map<std::uint32_t, std::vector<Finding>> findings;
    std::map<std::uint32_t, PlannedGroup::Forecast> forecasts;
  };
  static bool waits_for(const All& all, Worker who, Worker whom);
  static std::uint16_t type_number(All& all, const std::string& type);

  Monitor<All> all_;
};

}  // namespace landfall::restore
