#include "bucket/artifact.h"

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

Result<json::Json> parse(io::Reader& text) {
  TRY_ASSIGN(const std::string all, "", io::read_all(text, kMaxDocument));
  auto document = json::parse(all, {.max_bytes = kMaxDocument});
  if (!document) return fail(Code::kDataLoss, "this is not JSON: " + document.error().message());
  return *std::move(document);
}

}  // namespace

std::string encode(const json::Json& document, Form form) {
  if (form == Form::kJson) return json::dump_pretty(document);
  return compressed(json::dump_go(document) + "\n");
}

Result<json::Json> decode(io::Reader& bytes, Form form) {
  if (form == Form::kJson) return parse(bytes);
  io::GzipReader text(bytes);
  return parse(text);
}

std::unique_ptr<io::Reader> decompressed(std::unique_ptr<io::Reader> bytes) {
  return std::make_unique<OwningGzipReader>(std::move(bytes));
}

}  // namespace landfall::bucket
