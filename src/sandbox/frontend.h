#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "http/responder.h"
#include "http/server_options.h"
#include "http/worker_pool.h"
#include "sandbox/api.h"
#include "sandbox/authenticator.h"
#include "sandbox/faults.h"
#include "sandbox/resource_handler.h"
#include "sandbox/watch.h"

namespace landfall::sandbox {

// The sandbox's side of HTTP: who may come in, faults, discovery and documents, and the requests for objects. Runs on
// the server's threads; what takes long goes to workers. Thread-safe.
class Frontend {
 public:
  struct Parts {
    Api& api;
    const Authenticator& authenticator;
    Faults& faults;
    WatchHub& watches;
    http::WorkerPool& pool;
    Clock& clock;
  };
  explicit Frontend(Parts parts);

  // Before the body is read: whether it may be sent at all.
  http::Admission admit(const http::Request& head) const;
  void handle(http::Request request, const std::shared_ptr<http::Responder>& responder);
  // What /api says where the server is; set before it serves.
  void set_address(std::string address) { address_ = std::move(address); }

 private:
  void serve(const std::shared_ptr<const http::Request>& request, const User& user,
             const std::shared_ptr<http::Responder>& responder);
  bool serve_public(const http::Request& request, http::Responder& responder) const;
  bool serve_document(const http::Request& request, const KindSet& kinds, http::Responder& responder) const;
  bool serve_discovery(const http::Request& request, const KindSet& kinds, http::Responder& responder) const;
  void serve_faults(const http::Request& request, http::Responder& responder);

  Parts parts_;
  ResourceHandler resources_;
  std::string address_;
};

}  // namespace landfall::sandbox
