#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/spool_file.h"
#include "io/stream.h"

namespace landfall::extension {

// The bytes of an object to be stored, from the start as often as it takes: that is how a failed upload is tried again.
class ObjectSource {
 public:
  ObjectSource() = default;
  ObjectSource(const ObjectSource&) = delete;
  ObjectSource& operator=(const ObjectSource&) = delete;
  virtual ~ObjectSource() = default;

  // Reads from the start. The source must outlive the reader. kUnsupported when it can be read only once and was.
  virtual Result<std::unique_ptr<io::Reader>> open() const = 0;
  // When it is known beforehand.
  virtual std::optional<std::uint64_t> size() const = 0;
};

class BytesSource final : public ObjectSource {
 public:
  // Borrowed: they must outlive it.
  explicit BytesSource(std::string_view bytes) : bytes_(bytes) {}
  Result<std::unique_ptr<io::Reader>> open() const override;
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

// A spooled file that has been written to its end and must outlive it.
class SpoolSource final : public ObjectSource {
 public:
  explicit SpoolSource(const io::SpoolFile& file) : file_(file) {}
  Result<std::unique_ptr<io::Reader>> open() const override;
  std::optional<std::uint64_t> size() const override { return file_.size(); }

 private:
  const io::SpoolFile& file_;
};

// A stream that comes only once, of unknown length: it cannot be tried again from the start.
class StreamSource final : public ObjectSource {
 public:
  explicit StreamSource(io::Reader& reader) : reader_(reader) {}
  Result<std::unique_ptr<io::Reader>> open() const override;
  std::optional<std::uint64_t> size() const override { return std::nullopt; }

 private:
  io::Reader& reader_;
  mutable bool was_opened_ = false;
};

}  // namespace landfall::extension
