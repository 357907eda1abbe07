#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace landfall {

// A number of bytes: the size of an archive, a volume, a buffer. Arithmetic stops at the ends of its range instead of
// overflowing, so that sums over sizes that others report are safe.
class ByteCount {
 public:
  constexpr ByteCount() = default;
  constexpr explicit ByteCount(std::int64_t count) : count_(count) {}

  constexpr std::int64_t count() const { return count_; }

  constexpr ByteCount& operator+=(ByteCount other) {
    if (__builtin_add_overflow(count_, other.count_, &count_)) {
      count_ = other.count_ > 0 ? kMax : kMin;
    }
    return *this;
  }
  constexpr ByteCount& operator-=(ByteCount other) {
    if (__builtin_sub_overflow(count_, other.count_, &count_)) {
      count_ = other.count_ > 0 ? kMin : kMax;
    }
    return *this;
  }
  friend constexpr ByteCount operator+(ByteCount a, ByteCount b) { return a += b; }
  friend constexpr ByteCount operator-(ByteCount a, ByteCount b) { return a -= b; }
  friend constexpr ByteCount operator*(std::int64_t times, ByteCount size) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(times, size.count_, &product)) {
      product = (times < 0) == (size.count_ < 0) ? kMax : kMin;
    }
    return ByteCount(product);
  }
  friend constexpr auto operator<=>(ByteCount, ByteCount) = default;

 private:
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  std::int64_t count_ = 0;
};

inline constexpr ByteCount kKiB{1024};
inline constexpr ByteCount kMiB = 1024 * kKiB;
inline constexpr ByteCount kGiB = 1024 * kMiB;
inline constexpr ByteCount kTiB = 1024 * kGiB;

// For people: "512 B", "1.5 GiB". From a KiB on with one decimal, rounded to the nearest.
std::string to_string(ByteCount size);

}  // namespace landfall
