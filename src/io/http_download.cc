#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "io/http_client.h"
#include "io/http_transfer.h"

namespace landfall::io {
namespace {

// How much is held for a reader that is slower than the server. One piece of libcurl's may come on top.
constexpr std::size_t kMaxBuffered = 256UL * 1024;

class QueueSink final : public HttpSink {
 public:
  Result<HttpFlow> on_head(HttpHead head) override {
    head_ = std::move(head);
    has_head_ = true;
    return HttpFlow::kContinue;
  }
  Result<HttpFlow> on_body(std::string_view bytes) override {
    bytes_ += bytes;
    return HttpFlow::kContinue;
  }
  bool is_full() const override { return bytes_.size() - taken_ >= kMaxBuffered; }

  bool has_head() const { return has_head_; }
  bool has_bytes() const { return taken_ < bytes_.size(); }
  const HttpHead& head() const { return head_; }
  std::size_t take(std::span<char> buffer) {
    const std::size_t count = std::min(buffer.size(), bytes_.size() - taken_);
    std::memcpy(buffer.data(), bytes_.data() + taken_, count);
    taken_ += count;
    if (taken_ == bytes_.size()) {
      bytes_.clear();  // keeps its memory for the next piece
      taken_ = 0;
    }
    return count;
  }

 private:
  HttpHead head_;
  bool has_head_ = false;
  std::string bytes_;
  std::size_t taken_ = 0;
};

}  // namespace

struct HttpDownload::Impl {
  Impl(std::shared_ptr<HttpContext> context, const HttpRequest& the_request, std::stop_token stop)
      : request(the_request),
        transfer(std::move(context), request, sink,
                 request.max_response_body.value_or(std::numeric_limits<std::size_t>::max()), std::move(stop)) {}

  const HttpRequest request;
  QueueSink sink;
  HttpTransfer transfer;
  std::optional<Error> error;
};

HttpDownload::HttpDownload(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpDownload::~HttpDownload() = default;

HttpResult<std::unique_ptr<HttpDownload>> HttpDownload::start(std::shared_ptr<HttpContext> context,
                                                              const HttpRequest& request, const std::stop_token& stop) {
  if (request.accept_gzip) {
    // libcurl cannot hold back what it has unpacked, so the buffer would have no bound.
    return tl::unexpected(HttpError(Error(Code::kInvalid, "accept_gzip cannot be used with a download"), false));
  }
  auto impl = std::make_unique<Impl>(std::move(context), request, stop);
  if (HttpResult<void> started = impl->transfer.start(); !started) {
    return tl::unexpected(std::move(started).error());
  }
  if (HttpResult<void> ran = impl->transfer.run([&] { return impl->sink.has_head(); }); !ran) {
    // What came with the head is handed out before the error that ended it.
    if (!impl->sink.has_head()) {
      return tl::unexpected(std::move(ran).error());
    }
    impl->error = std::move(ran).error();
  }
  return std::make_unique<HttpDownload>(std::move(impl));
}

const HttpHead& HttpDownload::head() const { return impl_->sink.head(); }

Result<std::size_t> HttpDownload::read(std::span<char> buffer) {
  if (buffer.empty()) {
    return 0;
  }
  if (!impl_->sink.has_bytes() && !impl_->transfer.ended()) {
    if (HttpResult<void> ran = impl_->transfer.run([&] { return impl_->sink.has_bytes(); }); !ran) {
      impl_->error = std::move(ran).error();
    }
  }
  if (impl_->sink.has_bytes()) {
    return impl_->sink.take(buffer);
  }
  if (impl_->error) {
    return tl::unexpected(*impl_->error);
  }
  return 0;
}

const HttpHeaders& HttpDownload::trailers() const { return impl_->transfer.trailers(); }

}  // namespace landfall::io
