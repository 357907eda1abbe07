// Any bytes: reading them as tar ends in the same way however they arrive, and what was read can be packed again.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/tar_name.h"
#include "io/tar_reader.h"
#include "io/tar_writer.h"

namespace landfall::io {
namespace {

constexpr std::size_t kMost = 1UL << 20U;

struct Item {
  std::string name;
  std::string content;
  std::chrono::sys_seconds mtime;
  friend bool operator==(const Item&, const Item&) = default;
};

struct Listing {
  std::vector<Item> items;
  std::optional<Error> error;
  friend bool operator==(const Listing&, const Listing&) = default;
};

class SmallStepReader final : public Reader {
 public:
  explicit SmallStepReader(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    return rest_.read(buffer.first(std::min<std::size_t>(buffer.size(), 100)));
  }

 private:
  StringReader rest_;
};

void check(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

Listing list(Reader& source, std::string_view bytes) {
  Listing listing;
  TarReader reader(source, {.name_length = 1000, .entry_size = kMost, .entries = 1000, .total_size = kMost});
  while (true) {
    const auto entry = reader.next();
    if (!entry || *entry == nullptr) {
      listing.error = entry ? std::nullopt : std::optional(entry.error());
      return listing;
    }
    const TarEntry found = **entry;
    check(found.header_offset < found.content_offset && found.content_offset <= bytes.size());
    auto content = read_all(reader.content(), kMost);
    if (!content) {
      listing.error = content.error();
      return listing;
    }
    // The offsets are what an index is made of.
    check(bytes.substr(found.content_offset, found.size) == *content);
    listing.items.push_back({found.name, *std::move(content), found.mtime});
  }
}

void check_repacking(std::vector<Item> items) {
  StringWriter sink;
  TarWriter writer(sink);
  std::erase_if(items, [](const Item& item) { return safe_relative_name(item.name) != item.name; });
  for (const Item& item : items) {
    check(writer.add({.name = item.name, .mtime = item.mtime}, item.content).has_value());
  }
  check(writer.close().has_value());
  StringReader source(sink.str());
  check(list(source, sink.str()).items == items);
}

// Bytes with the checksum of every header made right: otherwise hardly a change would get past it.
std::string with_right_checksums(std::string_view bytes) {
  std::string repaired(bytes);
  for (std::size_t at = 0; at + kTarBlockSize <= repaired.size(); at += kTarBlockSize) {
    if (bytes.substr(at + 257, 5) != "ustar") {
      continue;
    }
    repaired.replace(at + 148, 8, 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = at; i < at + kTarBlockSize; ++i) {
      sum += static_cast<unsigned char>(repaired[i]);
    }
    for (std::size_t digit = 6; digit-- > 0; sum /= 8) {
      repaired[at + 148 + digit] = static_cast<char>('0' + sum % 8);
    }
  }
  return repaired;
}

void check_all(std::string_view bytes) {
  StringReader whole(bytes);
  SmallStepReader steps(bytes);
  Listing once = list(whole, bytes);
  check(once == list(steps, bytes));
  check_repacking(std::move(once.items));
}

}  // namespace
}  // namespace landfall::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  landfall::io::check_all(bytes);
  landfall::io::check_all(landfall::io::with_right_checksums(bytes));
  return 0;
}
