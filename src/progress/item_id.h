#pragma once

#include <string>
#include <string_view>

namespace landfall::progress {

// Names one item. It only borrows its texts, so making one costs nothing; whoever keeps an item copies them.
//
// The kind includes the group and is spelled one way throughout an operation ("deployments.apps"); the namespace is
// empty for what belongs to the cluster. In a restore an item has two names: its *source* is where the archive has it,
// its *target* is what it becomes. They differ under a namespace mapping, and then two sources can meet in one target.
struct ItemId {
  std::string_view kind;
  std::string_view ns;
  std::string_view name;

  friend bool operator==(const ItemId&, const ItemId&) = default;
};

// "deployments.apps shop/web", "persistentvolumes pv-1".
inline std::string to_string(const ItemId& id) {
  std::string text(id.kind);
  text += ' ';
  if (!id.ns.empty()) {
    text += id.ns;
    text += '/';
  }
  text += id.name;
  return text;
}

}  // namespace landfall::progress
