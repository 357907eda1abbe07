#pragma once

#include <string>
#include <vector>

#include "progress/item_id.h"

namespace landfall::progress {

// The items that are being worked on, in the order in which they were started: as many as there are workers. Not
// thread-safe.
class InFlight {
 public:
  void start(const ItemId& item);
  void stop(const ItemId& item);
  void clear() { items_.clear(); }

  // The item started last, and how many there are beside it: "pods shop/web-0 and 7 more". Empty if there is none.
  std::string newest() const;
  // The item that has been at it longest: the suspect when nothing moves.
  std::string oldest() const;

 private:
  struct Owned {
    std::string kind;
    std::string ns;
    std::string name;
    ItemId id() const { return {.kind = kind, .ns = ns, .name = name}; }
  };
  std::vector<Owned> items_;
};

}  // namespace landfall::progress
