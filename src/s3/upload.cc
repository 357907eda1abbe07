#include "s3/upload.h"

#include <utility>

#include "base/random.h"
#include "s3/multipart_upload.h"
#include "s3/part_reader.h"
#include "s3/s3_error.h"

namespace landfall::s3 {
namespace {

constexpr const char* kMarkHeader = "x-amz-meta-landfall-upload";

Status put_whole(Client& client, const std::string& key, const std::string& bytes, const extension::PutOptions& options,
                 const std::stop_token& stop) {
  S3Request request{.method = "PUT", .key = key, .body = bytes};
  client.add_object_headers(request.headers);
  if (const ChecksumAlgorithm algorithm = client.config().checksum; algorithm != ChecksumAlgorithm::kNone) {
    request.headers.set(std::string(header_of(algorithm)), checksum(algorithm, bytes));
  }
  const UploadMark mark;
  if (options.if_absent) {
    request.headers.set("If-None-Match", "*");
    mark.add_to(request.headers);
  }
  const auto answer = client.send(request, stop);
  if (answer) {
    return {};
  }
  Status failed = tl::unexpected(answer.error());
  return options.if_absent ? settle(client, key, mark, std::move(failed), stop) : failed;
}

}  // namespace

UploadMark::UploadMark() : id_(uuid4(system_random())) {}

void UploadMark::add_to(io::HttpHeaders& headers) const { headers.set(kMarkHeader, id_); }

Result<bool> UploadMark::is_on(Client& client, const std::string& key, const std::stop_token& stop) const {
  S3Request head{.method = "HEAD", .key = key};
  client.add_customer_key(head.headers);
  TRY_ASSIGN(const S3Answer answer, "", client.send(head, stop));
  return answer.head.headers.get(kMarkHeader) == id_;
}

Status settle(Client& client, const std::string& key, const UploadMark& mark, Status outcome,
              const std::stop_token& stop) {
  const auto* detail = outcome ? nullptr : outcome.error().detail<S3ErrorDetail>();
  if (detail == nullptr || !detail->may_have_taken_effect || stop.stop_requested()) {
    return outcome;
  }
  const auto is_ours = mark.is_on(client, key, stop);
  return is_ours && *is_ours ? Status() : outcome;
}

Status upload(Client& client, const std::string& key, const extension::ObjectSource& source,
              const extension::PutOptions& options, const std::stop_token& stop) {
  TRY_ASSIGN(const std::unique_ptr<io::Reader> reader, "", source.open());
  PartReader parts(*reader, client.tuning().part_size, source.size());
  const std::size_t size = parts.next_size();
  TRY_ASSIGN(std::string first, "", parts.next(stop));
  if (first.size() < size) {
    return put_whole(client, key, first, options, stop);
  }
  if (source.size() == first.size()) {
    TRY_ASSIGN(const std::string nothing, "", parts.next(stop));
    return put_whole(client, key, first, options, stop);
  }
  MultipartUpload multipart(client, key, options);
  return multipart.run(std::move(first), parts, stop);
}

}  // namespace landfall::s3
