#pragma once

#include <cstdint>
#include <string_view>

#include "base/random.h"

namespace landfall::archive {

// SipHash-2-4: names from outside cannot be chosen so that they collide, because nobody outside knows the key. A value.
class KeyedHash {
 public:
  // With a fresh key. The key shows in nothing that is written: it decides only where in a table something stands.
  explicit KeyedHash(Random& random = system_random()) : KeyedHash(random.bits(), random.bits()) {}
  KeyedHash(std::uint64_t key0, std::uint64_t key1) : key0_(key0), key1_(key1) {}

  std::uint64_t operator()(std::string_view bytes) const;
  // Of the number's eight bytes, the lowest first, with `bytes` behind them.
  std::uint64_t operator()(std::uint64_t number, std::string_view bytes) const;

 private:
  std::uint64_t key0_;
  std::uint64_t key1_;
};

}  // namespace landfall::archive
