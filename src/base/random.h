#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace landfall {

// Where randomness comes from, so that a test can repeat it. Thread-safe.
class Random {
 public:
  virtual ~Random() = default;

  // 64 random bits.
  virtual std::uint64_t bits() = 0;

  // Evenly from 0 to bound - 1; the bound must not be 0.
  std::uint64_t uniform(std::uint64_t bound);
  // Evenly from 0 up to, not including, 1.
  double unit();
};

// The kernel's; fit for secrets.
Random& system_random();

// The same numbers for the same seed, on every machine. For tests; not for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() override;

 private:
  std::atomic<std::uint64_t> state_;
};

// What Kubernetes puts after metadata.generateName: no vowels, nor digits that look like letters.
std::string name_suffix(Random& random, std::size_t length = 5);

// A version 4 UUID: "1b4e28ba-2fa1-41d2-883f-0016d3cca427".
std::string uuid4(Random& random);

}  // namespace landfall
