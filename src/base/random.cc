#include "base/random.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace landfall {
namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;  // SplitMix64's
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

class SystemRandom final : public Random {
 public:
  std::uint64_t bits() override {
    std::uint64_t value = 0;
    // So few bytes come whole or not at all, and only a signal before the pool is ready can interrupt.
    while (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
      if (errno != EINTR) {
        std::abort();  // a kernel without it; going on with anything weaker would be worse
      }
    }
    return value;
  }
};

}  // namespace

std::uint64_t Random::uniform(std::uint64_t bound) {
  // The values from here on would make the small remainders more likely.
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / bound * bound;
  std::uint64_t value = bits();
  while (value >= limit) {
    value = bits();
  }
  return value % bound;
}

double Random::unit() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }

Random& system_random() {
  static SystemRandom random;
  return random;
}

// A counter run through the SplitMix64 mixer: one atomic step, so threads never see the same number.
std::uint64_t SeededRandom::bits() {
  std::uint64_t x = state_.fetch_add(kStep, std::memory_order_relaxed) + kStep;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

std::string name_suffix(Random& random, std::size_t length) {
  std::string suffix;
  for (std::size_t i = 0; i < length; ++i) {
    suffix += kLetters[random.uniform(kLetters.size())];
  }
  return suffix;
}

std::string uuid4(Random& random) {
  const std::uint64_t high = random.bits();
  const std::uint64_t low = random.bits();
  // The third group starts with the version, the fourth with two bits for the variant.
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFFU, high & 0xFFFU,
                     0x8000U | (low >> 48U & 0x3FFFU), low & 0xFFFFFFFFFFFFU);
}

}  // namespace landfall
