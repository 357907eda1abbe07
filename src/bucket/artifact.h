#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bucket/layout.h"
#include "io/stream.h"
#include "json/json_fwd.h"

// Artifacts as bytes: written as Velero writes them, read with a limit for everything.
namespace landfall::bucket {

// Documents are held in memory; a resource list of 300,000 items takes about 20 MiB.
inline constexpr std::size_t kMaxDocument = std::size_t{64} << 20U;

// A document in one of the two JSON forms. Go's spelling, one line and a newline where it is compressed.
std::string encode(const json::Json& document, Form form);

// Reads to the end: a document that is followed by anything but white space is damaged, and so is one that is not
// whole (kDataLoss).
Result<json::Json> decode(io::Reader& bytes, Form form);

// The same for one that may be compressed or not, whatever its name says.
Result<json::Json> decode_any(io::Reader& bytes);

// A document from outside. Some texts are small and their documents are not ("[[],[],…"): past some million values it
// is kTooLarge, and kDataLoss for what is no JSON.
Result<json::Json> parse_document(std::string_view text);

// Text that is kept compressed, as a stream of what it says.
std::unique_ptr<io::Reader> decompressed(std::unique_ptr<io::Reader> bytes);

// Text that may be compressed or not: its first two bytes tell. Borrows.
class AnyTextReader final : public io::Reader {
 public:
  explicit AnyTextReader(io::Reader& source);
  AnyTextReader(const AnyTextReader&) = delete;
  AnyTextReader& operator=(const AnyTextReader&) = delete;
  ~AnyTextReader() override;
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  class Peeked;
  const std::unique_ptr<Peeked> bytes_;
  bool is_judged_ = false;
  std::unique_ptr<io::Reader> gzip_;  // over the bytes, when they are compressed
};

}  // namespace landfall::bucket
