#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "http/responder.h"

namespace landfall::http {

class WorkerPool;

// Gives the next piece of a body, nothing at its end, or an error, which cuts the answer.
using Producer = std::function<Result<std::optional<std::string>>()>;

// Streams what the producer gives, asking only while the client's queue has room: memory is the queue and one piece.
// With a pool the producer runs there, one call at a time, and may block; without one it runs on the caller's and the
// connection's threads and must not. Returns at once; the producer is destroyed when the answer is over.
void stream(std::shared_ptr<Responder> responder, ResponseHead head, Producer producer, WorkerPool* pool = nullptr);

// A part of an open file. Owns the descriptor.
class FileRange {
 public:
  FileRange(int descriptor, std::uint64_t offset, std::uint64_t length)
      : descriptor_(descriptor), offset_(offset), length_(length) {}
  FileRange(FileRange&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), offset_(other.offset_), length_(other.length_) {}
  FileRange(const FileRange&) = delete;
  FileRange& operator=(const FileRange&) = delete;
  FileRange& operator=(FileRange&&) = delete;
  ~FileRange();

  std::uint64_t remaining() const { return length_; }
  // Reads the next bytes; nothing at the end of the range. A file that has become shorter is kDataLoss.
  Result<std::optional<std::string>> next(std::size_t at_most);

 private:
  int descriptor_;
  std::uint64_t offset_;
  std::uint64_t length_;
};

// Streams the range with its length as Content-Length. Reading a file may block, hence the pool.
void stream_file(std::shared_ptr<Responder> responder, ResponseHead head, FileRange range, WorkerPool& pool);

}  // namespace landfall::http
