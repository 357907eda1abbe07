#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/responder.h"
#include "http/worker_pool.h"
#include "sandbox/api.h"
#include "sandbox/authenticator.h"
#include "sandbox/request.h"
#include "sandbox/watch.h"

namespace landfall::sandbox {

// Sends a Status for an error.
void send_error(const Error& error, http::Responder& responder);

// Answers requests for objects: reads them, does what they ask through the Api, writes the answer. Thread-safe.
class ResourceHandler {
 public:
  ResourceHandler(Api& api, const Authenticator& authenticator, WatchHub& watches, http::WorkerPool& pool);

  // True for requests that take long: they belong on a worker.
  static bool is_slow(const ApiRequest& request);
  void handle(const ApiRequest& request, const http::Request& raw, const User& user, const KindSetPtr& kinds,
              const std::shared_ptr<http::Responder>& responder);

 private:
  // What is sent back: an object of the store, or a document.
  struct Answer {
    int status = 200;
    ObjectPtr object;
    std::shared_ptr<const json::Json> other;
    std::vector<std::string> warnings;
  };
  struct Call;  // a request with all that belongs to it

  Result<Answer> answer(const Call& call);
  Result<Answer> get(const Call& call);
  Result<Answer> create(const Call& call);
  Result<Answer> create_subresource(const Call& call, json::Json body);
  Result<Answer> update(const Call& call);
  Result<Answer> patch(const Call& call);
  Result<Answer> remove(const Call& call);
  void remove_all(const Call& call);
  void list(const Call& call);
  Result<json::Json> read_body(const Call& call, std::vector<std::string>& warnings) const;
  void send(const Call& call, const Answer& answer) const;

  Api& api_;
  const Authenticator& authenticator_;
  WatchHub& watches_;
  http::WorkerPool& pool_;
};

}  // namespace landfall::sandbox
