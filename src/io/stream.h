#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::io {

// Bytes that come from somewhere. Not thread-safe.
class Reader {
 public:
  virtual ~Reader() = default;
  // Reads at least one byte, or returns 0 at the end. Blocks until there is something.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
};

// Bytes that go somewhere. Not thread-safe. What was written counts only after close() has succeeded; a writer that is
// destroyed without it abandons its work and leaves nothing half done that could be taken for whole.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual Status write(std::string_view bytes) = 0;
  virtual Status close() = 0;
};

// Reads to the end, but fails with kTooLarge past `limit`: outside bytes never decide how much memory we use.
Result<std::string> read_all(Reader& reader, std::size_t limit);
// Copies to the end of the reader; does not close the writer. Returns how much it was.
Result<std::size_t> copy(Reader& from, Writer& to);

// Over bytes in memory, which must outlive it.
class StringReader final : public Reader {
 public:
  explicit StringReader(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  std::string_view rest_;
};

class StringWriter final : public Writer {
 public:
  Status write(std::string_view bytes) override;
  Status close() override { return {}; }
  const std::string& str() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads from one place and copies everything that it hands out to another, at the same offsets. Does not close it.
class TeeReader final : public Reader {
 public:
  TeeReader(Reader& from, Writer& copy) : from_(from), copy_(copy) {}
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  Reader& from_;
  Writer& copy_;
};

}  // namespace landfall::io
