#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "sandbox/api.h"
#include "sandbox/authenticator.h"
#include "sandbox/faults.h"
#include "sandbox/store.h"

namespace landfall::sandbox {

struct SandboxOptions {
  std::uint16_t port = 0;  // 0 takes a free one
  std::string token;       // empty: a random one
  bool tls = true;
  std::size_t threads = 2;
  StoreLimits limits;
  // Makes the namespaces and the service that every cluster has. Off for a sandbox that starts from a snapshot.
  bool bootstrap = true;
};

// An embedded Kubernetes API on loopback. Everything with state is in here; several can live in one process. What is
// passed by reference must outlive it. Thread-safe, but stop() and the destructor not from a request.
class Sandbox {
 public:
  // Everything but the port: for those who fill the store before anyone can look. serve() opens it.
  static Result<std::unique_ptr<Sandbox>> prepare(const SandboxOptions& options, Clock& clock, Random& random,
                                                  const Logger& log);
  // Once.
  Status serve();
  // Both.
  static Result<std::unique_ptr<Sandbox>> start(const SandboxOptions& options, Clock& clock, Random& random,
                                                const Logger& log);
  struct Impl;
  explicit Sandbox(std::unique_ptr<Impl> impl);  // use prepare() or start()
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Known once it serves, as are the next and the kubeconfig.
  std::uint16_t port() const;
  // "https://127.0.0.1:6443"
  std::string url() const;
  const std::string& token() const;
  // Empty without TLS.
  const std::string& ca_pem() const;
  // A kubeconfig with everything in it; holds the token.
  std::string kubeconfig() const;

  Store& store();
  Registry& registry();
  Api& api();
  Faults& faults();
  const Authenticator& authenticator() const;

  // Ends the watches and the server. The store can still be read.
  void stop();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::sandbox
