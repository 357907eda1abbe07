#include "s3/download.h"

#include <utility>

#include "base/random.h"
#include "base/strings.h"
#include "s3/s3_error.h"

namespace landfall::s3 {
namespace {

// So often a download is taken up again without having come any further.
constexpr int kMaxResumes = 6;

bool is_strong(std::string_view etag) { return etag.size() > 2 && etag.starts_with('"'); }

// "bytes 100-199/200" at 100
bool begins_at(std::string_view content_range, std::uint64_t offset) {
  return content_range.starts_with("bytes " + std::to_string(offset) + "-");
}

}  // namespace

Download::Download(std::shared_ptr<Client> client, S3Request request, std::unique_ptr<io::HttpDownload> body,
                   std::stop_token stop)
    : client_(std::move(client)),
      request_(std::move(request)),
      stop_(std::move(stop)),
      body_(std::move(body)),
      backoff_(client_->tuning().retries, system_random()) {
  const io::HttpHeaders& headers = body_->head().headers;
  etag_ = headers.get("ETag").value_or("");
  if (const auto size = parse_uint64(headers.get("Content-Length").value_or(""))) {
    size_ = *size;
  }
  expect_checksum(headers);
}

Result<std::unique_ptr<io::Reader>> Download::open(std::shared_ptr<Client> client, std::string key,
                                                   const std::stop_token& stop) {
  S3Request request{.key = std::move(key)};
  client->add_customer_key(request.headers);
  if (client->config().checksum != ChecksumAlgorithm::kNone) {
    request.headers.set("x-amz-checksum-mode", "ENABLED");
  }
  TRY_ASSIGN(std::unique_ptr<io::HttpDownload> body, "", client->open(request, stop));
  return std::make_unique<Download>(std::move(client), std::move(request), std::move(body), stop);
}

// Of an object that came in parts most servers know only a checksum of the parts' checksums, which ends in "-" and
// their number.
void Download::expect_checksum(const io::HttpHeaders& headers) {
  if (client_->config().checksum == ChecksumAlgorithm::kNone || headers.get("x-amz-checksum-type") == "COMPOSITE") {
    return;
  }
  for (const auto algorithm :
       {ChecksumAlgorithm::kCrc32, ChecksumAlgorithm::kCrc32c, ChecksumAlgorithm::kSha1, ChecksumAlgorithm::kSha256}) {
    const auto value = headers.get(header_of(algorithm));
    if (value && !value->empty() && !contains(*value, "-")) {
      expected_ = *value;
      checksum_ = std::make_unique<Checksum>(algorithm);
      return;
    }
  }
}

Result<std::size_t> Download::read(std::span<char> buffer) {
  if (buffer.empty()) {
    return 0;
  }
  while (true) {
    auto count = body_->read(buffer);
    if (!count) {
      TRY("", resume(count.error()));
      continue;
    }
    if (*count == 0) {
      TRY("", check_end());
      return 0;
    }
    offset_ += *count;
    if (checksum_) {
      checksum_->update(std::string_view(buffer.data(), *count));
    }
    return *count;
  }
}

Status Download::check_end() {
  if (size_ && *size_ != offset_) {
    return fail(Code::kDataLoss, "key " + quote(request_.key) + ": " + std::to_string(offset_) + " bytes came of " +
                                     std::to_string(*size_));
  }
  if (!checksum_) {
    return {};
  }
  const std::string actual = std::exchange(checksum_, nullptr)->finish();
  if (actual != expected_) {
    return fail(Code::kDataLoss, "GET bucket " + quote(client_->config().bucket) + ", key " + quote(request_.key) +
                                     ": the bytes do not match the object's checksum");
  }
  return {};
}

Status Download::resume(const Error& cause) {
  if (offset_ > resumed_at_) {
    backoff_.reset();
  }
  const bool may_pass = is_retryable(cause.code()) && !stop_.stop_requested();
  if (!may_pass || !is_strong(etag_) || backoff_.attempts() >= kMaxResumes) {
    return tl::unexpected(cause);
  }
  if (!client_->clock().sleep_for(backoff_.next(), stop_)) {
    return fail(Code::kCancelled, "stopped");
  }
  resumed_at_ = offset_;
  S3Request rest = request_;
  rest.headers.set("If-Match", etag_);
  rest.headers.set("Range", "bytes=" + std::to_string(offset_) + "-");
  rest.headers.remove("x-amz-checksum-mode");
  auto body = client_->open(rest, stop_);
  if (!body && s3_code_of(body.error()) == "PreconditionFailed") {
    return fail(Code::kConflict, "the object was replaced while it was being read: " + body.error().message());
  }
  if (!body) {
    return fail("after " + std::to_string(offset_) + " bytes", body.error());
  }
  const io::HttpHead& head = (*body)->head();
  const bool is_rest = head.status == 206 && begins_at(head.headers.get("Content-Range").value_or(""), offset_);
  if (!is_rest && offset_ > 0) {
    return fail(Code::kDataLoss, "key " + quote(request_.key) + ": the server does not go on at byte " +
                                     std::to_string(offset_) + " as it was asked to");
  }
  body_ = *std::move(body);
  client_->logger().debug("download goes on after a cut", {{"key", request_.key}, {"offset", offset_}});
  return {};
}

}  // namespace landfall::s3
