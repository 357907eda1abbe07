#include "bucket/artifact.h"

#include <algorithm>
#include <array>
#include <utility>

#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::bucket {
namespace {

class OwningGzipReader final : public io::Reader {
 public:
  explicit OwningGzipReader(std::unique_ptr<io::Reader> source) : source_(std::move(source)), gzip_(*source_) {}
  Result<std::size_t> read(std::span<char> buffer) override { return gzip_.read(buffer); }

 private:
  std::unique_ptr<io::Reader> source_;
  io::GzipReader gzip_;
};

std::string compressed(std::string_view text) {
  io::StringWriter out;
  io::GzipWriter gzip(out);
  // Writing to memory does not fail.
  (void)gzip.write(text);
  (void)gzip.close();
  return out.take();
}

// Every value is some 60 bytes of memory, however short its text is.
constexpr std::ptrdiff_t kMaxValues = 4'000'000;

// At least as many as there are: commas in texts count as well.
std::ptrdiff_t count_values(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return c == ',' || c == '[' || c == '{'; });
}

Result<json::Json> read_document(io::Reader& text) {
  TRY_ASSIGN(const std::string all, "", io::read_all(text, kMaxDocument));
  return parse_document(all);
}

}  // namespace

std::string encode(const json::Json& document, Form form) {
  if (form == Form::kJson) return json::dump_pretty(document);
  return compressed(json::dump_go(document) + "\n");
}

Result<json::Json> decode(io::Reader& bytes, Form form) {
  if (form == Form::kJson) return read_document(bytes);
  io::GzipReader text(bytes);
  return read_document(text);
}

Result<json::Json> parse_document(std::string_view text) {
  if (count_values(text) > kMaxValues) return fail(Code::kTooLarge, "it has more than 4 million values");
  auto document = json::parse(text, {.max_bytes = kMaxDocument});
  if (!document) return fail(Code::kDataLoss, "this is not JSON: " + document.error().message());
  return *std::move(document);
}

Result<json::Json> decode_any(io::Reader& bytes) {
  AnyTextReader text(bytes);
  return read_document(text);
}

// Hands out again what was looked at.
class AnyTextReader::Peeked final : public io::Reader {
 public:
  explicit Peeked(io::Reader& source) : source_(source) {}

  Result<bool> is_compressed() {
    static constexpr std::string_view kMagic = "\x1f\x8b";
    std::array<char, kMagic.size()> buffer{};
    while (head_.size() < kMagic.size()) {
      TRY_ASSIGN(const std::size_t got, "", source_.read(std::span(buffer).first(kMagic.size() - head_.size())));
      if (got == 0) break;
      head_.append(buffer.data(), got);
    }
    return head_ == kMagic;
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    if (head_.empty()) return source_.read(buffer);
    const std::size_t count = std::min(buffer.size(), head_.size());
    std::copy_n(head_.begin(), count, buffer.begin());
    head_.erase(0, count);
    return count;
  }

 private:
  io::Reader& source_;
  std::string head_;
};

AnyTextReader::AnyTextReader(io::Reader& source) : bytes_(std::make_unique<Peeked>(source)) {}
AnyTextReader::~AnyTextReader() = default;

Result<std::size_t> AnyTextReader::read(std::span<char> buffer) {
  if (!is_judged_) {
    TRY_ASSIGN(const bool is_compressed, "", bytes_->is_compressed());
    if (is_compressed) gzip_ = std::make_unique<io::GzipReader>(*bytes_);
    is_judged_ = true;
  }
  return gzip_ ? gzip_->read(buffer) : bytes_->read(buffer);
}

std::unique_ptr<io::Reader> decompressed(std::unique_ptr<io::Reader> bytes) {
  return std::make_unique<OwningGzipReader>(std::move(bytes));
}

}  // namespace landfall::bucket
