#include "s3/deletion.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/strings.h"
#include "s3/checksum.h"
#include "s3/s3_error.h"
#include "s3/xml.h"

namespace landfall::s3 {
namespace {

constexpr std::size_t kBatch = 1000;

// Adds a second error to nothing, keeps the first.
void keep_first(Status& first, Status next) {
  if (first && !next) {
    first = std::move(next);
  }
}

std::string delete_document(std::span<const std::string> keys) {
  std::string xml = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
  for (const std::string& key : keys) {
    xml += "<Object><Key>" + xml_escape(key) + "</Key></Object>";
  }
  return xml + "</Delete>";
}

Status error_of(const Client& client, const KeyError& error) {
  return fail(
      code_for(error.code, 500),
      to_string(RequestName{.method = "DELETE", .bucket = client.config().bucket, .key = error.key.substr(0, 1024)}) +
          ": " + to_valid_utf8(error.code.substr(0, 64)) + ": " + quote(error.message.substr(0, 300)));
}

}  // namespace

Status Deletion::remove(Client& client, std::vector<std::string> keys, const std::stop_token& stop) {
  // From the back: the marker of a folder goes after what is in it, which servers on file systems insist on.
  std::ranges::sort(keys, std::greater<>());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  Status first;
  for (std::size_t at = 0; at < keys.size(); at += kBatch) {
    if (stop.stop_requested()) {
      return fail(Code::kCancelled, "remove: stopped");
    }
    const auto batch = std::span(keys).subspan(at, std::min(kBatch, keys.size() - at));
    keep_first(first, remove_batch(client, batch, stop));
  }
  return first;
}

Status Deletion::remove_batch(Client& client, std::span<const std::string> keys, const std::stop_token& stop) {
  if (keys.size() == 1 || one_by_one_ || client.is_multi_region()) {
    return remove_each(client, keys, stop);
  }
  const std::string body = delete_document(keys);
  S3Request request{.method = "POST",
                    .query = {{"delete", ""}},
                    .headers = {{"Content-MD5", md5_base64(body)}, {"Content-Type", "application/xml"}},
                    .body = body};
  if (const ChecksumAlgorithm algorithm = client.config().checksum; algorithm != ChecksumAlgorithm::kNone) {
    request.headers.set(std::string(header_of(algorithm)), checksum(algorithm, body));
  }
  const auto answer = client.send(request, stop);
  if (!answer && answer.error().code() == Code::kUnsupported) {
    one_by_one_ = true;
    return remove_each(client, keys, stop);
  }
  if (!answer) {
    return fail("remove " + std::to_string(keys.size()) + " objects", answer.error());
  }
  TRY_ASSIGN(const std::vector<KeyError> errors, "remove " + std::to_string(keys.size()) + " objects",
             parse_delete_result(answer->body));
  Status first;
  for (const KeyError& error : errors) {
    if (error.code == "NoSuchKey") {
      continue;
    }
    const bool is_ours = std::ranges::find(keys, error.key) != keys.end();
    const bool may_pass = is_retryable(code_for(error.code, 500));
    keep_first(first,
               may_pass && is_ours ? remove_each(client, std::span(&error.key, 1), stop) : error_of(client, error));
  }
  return first;
}

Status Deletion::remove_each(Client& client, std::span<const std::string> keys, const std::stop_token& stop) {
  Status first;
  for (const std::string& key : keys) {
    const auto answer = client.send({.method = "DELETE", .key = key}, stop);
    const bool is_gone = !answer && s3_code_of(answer.error()) == "NoSuchKey";
    if (!answer && !is_gone) {
      keep_first(first, tl::unexpected(answer.error()));
    }
    if (stop.stop_requested()) {
      return fail(Code::kCancelled, "remove: stopped");
    }
  }
  return first;
}

}  // namespace landfall::s3
