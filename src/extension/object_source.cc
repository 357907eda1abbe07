#include "extension/object_source.h"

#include <span>

namespace landfall::extension {
namespace {

class Borrowed final : public io::Reader {
 public:
  explicit Borrowed(io::Reader& reader) : reader_(reader) {}
  Result<std::size_t> read(std::span<char> buffer) override { return reader_.read(buffer); }

 private:
  io::Reader& reader_;
};

}  // namespace

Result<std::unique_ptr<io::Reader>> BytesSource::open() const { return std::make_unique<io::StringReader>(bytes_); }

Result<std::unique_ptr<io::Reader>> SpoolSource::open() const {
  return std::make_unique<io::SpoolReader>(file_, 0, file_.size());
}

Result<std::unique_ptr<io::Reader>> StreamSource::open() const {
  if (was_opened_) return fail(Code::kUnsupported, "this stream can be read only once, so it cannot be sent again");
  was_opened_ = true;
  return std::make_unique<Borrowed>(reader_);
}

}  // namespace landfall::extension
