#include "io/stream.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace landfall::io {
namespace {

constexpr std::size_t kChunk = 64UL * 1024;

}  // namespace

Result<std::string> read_all(Reader& reader, std::size_t limit) {
  std::string all;
  std::array<char, kChunk> chunk{};
  while (true) {
    TRY_ASSIGN(const std::size_t got, "", reader.read(chunk));
    if (got == 0) {
      return all;
    }
    if (got > limit - all.size()) {
      return fail(Code::kTooLarge, "more than " + std::to_string(limit) + " bytes");
    }
    all.append(chunk.data(), got);
  }
}

Result<std::size_t> copy(Reader& from, Writer& to) {
  std::size_t total = 0;
  std::array<char, kChunk> chunk{};
  while (true) {
    TRY_ASSIGN(const std::size_t got, "read", from.read(chunk));
    if (got == 0) {
      return total;
    }
    TRY("write", to.write(std::string_view(chunk.data(), got)));
    total += got;
  }
}

Result<std::size_t> StringReader::read(std::span<char> buffer) {
  const std::size_t count = std::min(buffer.size(), rest_.size());
  std::memcpy(buffer.data(), rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

Result<std::size_t> TeeReader::read(std::span<char> buffer) {
  TRY_ASSIGN(const std::size_t got, "", from_.read(buffer));
  TRY("", copy_.write(std::string_view(buffer.data(), got)));
  return got;
}

Status StringWriter::write(std::string_view bytes) {
  text_.append(bytes);
  return {};
}

}  // namespace landfall::io
