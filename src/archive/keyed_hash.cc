#include "archive/keyed_hash.h"

#include <bit>
#include <cstring>

namespace landfall::archive {
namespace {

std::uint64_t load(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  if (count > 0) {
    std::memcpy(&word, bytes, count);
  }
  static_assert(std::endian::native == std::endian::little);
  return word;
}

struct SipState {
  std::uint64_t a, b, c, d;

  SipState(std::uint64_t key0, std::uint64_t key1)
      : a(key0 ^ 0x736f6d6570736575),
        b(key1 ^ 0x646f72616e646f6d),
        c(key0 ^ 0x6c7967656e657261),
        d(key1 ^ 0x7465646279746573) {}

  void round() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }

  void absorb(std::uint64_t word) {
    d ^= word;
    round();
    round();
    a ^= word;
  }

  // The rest of the input, whose whole length counts modulo 256.
  std::uint64_t finish(std::string_view bytes, std::size_t length_before) {
    const std::uint64_t length = length_before + bytes.size();
    for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
      absorb(load(bytes.data(), sizeof(std::uint64_t)));
    }
    absorb(length << 56U | load(bytes.data(), bytes.size()));
    c ^= 0xff;
    for (int i = 0; i < 4; ++i) {
      round();
    }
    return a ^ b ^ c ^ d;
  }
};

}  // namespace

std::uint64_t KeyedHash::operator()(std::string_view bytes) const { return SipState(key0_, key1_).finish(bytes, 0); }

std::uint64_t KeyedHash::operator()(std::uint64_t number, std::string_view bytes) const {
  SipState state(key0_, key1_);
  state.absorb(number);
  return state.finish(bytes, sizeof(number));
}

}  // namespace landfall::archive
