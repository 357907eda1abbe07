// Any bytes: reading them as gzip ends in the same way however they arrive, and compressing them loses nothing.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "io/gzip_reader.h"
#include "io/gzip_writer.h"

namespace landfall::io {
namespace {

constexpr std::size_t kMost = 4UL << 20U;

class SmallStepReader final : public Reader {
 public:
  explicit SmallStepReader(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    return rest_.read(buffer.first(std::min<std::size_t>(buffer.size(), 3)));
  }

 private:
  StringReader rest_;
};

Result<std::string> gunzip(Reader& source) {
  GzipReader reader(source, {.output = kMost, .ratio = 1000, .ratio_from = kMost / 2});
  return read_all(reader, kMost);
}

void check(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

void check_all(std::string_view bytes) {
  StringReader whole(bytes);
  SmallStepReader steps(bytes);
  const auto once = gunzip(whole);
  const auto again = gunzip(steps);
  check(once.has_value() == again.has_value());
  check(once ? *once == *again : once.error().code() == again.error().code());

  StringWriter compressed;
  GzipWriter writer(compressed, {.level = 1, .workers = 1});
  check(writer.write(bytes) && writer.close());
  StringReader source(compressed.str());
  check(gunzip(source) == bytes);
}

}  // namespace
}  // namespace landfall::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  landfall::io::check_all({reinterpret_cast<const char*>(data), size});
  return 0;
}
