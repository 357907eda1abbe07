#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/backoff.h"
#include "base/result.h"
#include "io/stream.h"
#include "s3/checksum.h"
#include "s3/client.h"

namespace landfall::s3 {

// An object as a stream. A connection that breaks is replaced by one that goes on at the same byte of the same object;
// an object that was replaced meanwhile is kConflict. What came is held against the checksum of the whole object, where
// the server has one: kDataLoss at the end. Not thread-safe; outlives the store.
class Download final : public io::Reader {
 public:
  // Returns when the object has been found.
  static Result<std::unique_ptr<io::Reader>> open(std::shared_ptr<Client> client, std::string key,
                                                  const std::stop_token& stop);
  // What open() does with the answer to the request.
  Download(std::shared_ptr<Client> client, S3Request request, std::unique_ptr<io::HttpDownload> body,
           std::stop_token stop);
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  void expect_checksum(const io::HttpHeaders& headers);
  Status resume(const Error& cause);
  Status check_end();

  const std::shared_ptr<Client> client_;
  const S3Request request_;
  const std::stop_token stop_;
  std::unique_ptr<io::HttpDownload> body_;
  std::string etag_;
  std::optional<std::uint64_t> size_;
  std::uint64_t offset_ = 0;
  std::uint64_t resumed_at_ = 0;
  Backoff backoff_;  // of resumes without anything new
  std::unique_ptr<Checksum> checksum_;
  std::string expected_;
};

}  // namespace landfall::s3
