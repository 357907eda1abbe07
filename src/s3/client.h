#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/result.h"
#include "io/http_client.h"
#include "s3/answers.h"
#include "s3/config.h"
#include "s3/credentials.h"
#include "s3/tuning.h"

namespace landfall::s3 {

// A request before it has an address and a signature.
struct S3Request {
  std::string method = "GET";
  std::string key;            // "" for the bucket itself
  io::QueryParameters query;  // not encoded
  io::HttpHeaders headers;
  std::string_view body;       // borrowed for the length of the call
  bool error_in_body = false;  // a success may turn out to be none: the answer is an <Error> with status 200
  bool is_slow = false;        // the server may work for minutes before it answers
  SteadyTime deadline = kNever;
};

struct S3Answer {
  io::HttpHead head;
  std::string body;
};

// Sends requests about one bucket: finds its region and host, signs, tries again what may pass, follows the bucket to
// another region once, and turns answers that are no success into errors (s3_error.h). Thread-safe.
//
// A request is tried again whether or not it may have taken effect: all that we send may be done twice, but for what
// S3ErrorDetail::may_have_taken_effect is about.
class Client {
 public:
  struct Options {
    S3Config config;
    std::string customer_key;  // 32 bytes, or ""
    S3Tuning tuning;
    Environment environment;
    Logger logger;
  };
  // Reads files, does not connect. The clock must outlive it.
  static Result<std::shared_ptr<Client>> create(Options options, Clock& clock);
  struct Impl;  // made by create()
  explicit Client(std::unique_ptr<Impl> impl);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The whole answer, at most kMaxAnswer bytes.
  Result<S3Answer> send(const S3Request& request, const std::stop_token& stop);
  // Returns when the head is there.
  Result<std::unique_ptr<io::HttpDownload>> open(const S3Request& request, const std::stop_token& stop);
  // An address for GET by itself.
  Result<std::string> presign(std::string_view key, std::chrono::seconds valid_for, const std::stop_token& stop);

  // What a request to make an object carries: encryption and tags. And what one about its bytes does: the customer's
  // key.
  void add_object_headers(io::HttpHeaders& headers) const;
  void add_customer_key(io::HttpHeaders& headers) const;

  // The bucket is a multi-region access point, which can do a little less.
  bool is_multi_region() const;
  const S3Config& config() const;
  const S3Tuning& tuning() const;
  const Logger& logger() const;
  Clock& clock() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::s3
