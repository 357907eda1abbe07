#pragma once

#include <memory>

#include "base/random.h"
#include "io/process.h"
#include "kube/client.h"
#include "sandbox/server.h"

namespace landfall::sandbox {

// A client of a sandbox in this process.
class SandboxClient {
 public:
  explicit SandboxClient(const Sandbox& sandbox)
      : processes_(io::make_system_process_runner(system_clock())),
        connection_(
            kube::Connection::create(config_of(sandbox), Environment(), *processes_, system_clock(), Logger()).value()),
        client_(std::make_unique<kube::Client>(*connection_, kube::ClientOptions(), system_clock(), system_random(),
                                               Logger())) {}
  kube::Client& operator*() const { return *client_; }
  kube::Client* operator->() const { return client_.get(); }

 private:
  static kube::Config config_of(const Sandbox& sandbox) {
    kube::Config config;
    config.origin = "the sandbox";
    config.server = sandbox.url();
    config.certificate_authority.data = sandbox.ca_pem();
    config.token = sandbox.token();
    return config;
  }
  std::unique_ptr<io::ProcessRunner> processes_;
  std::unique_ptr<kube::Connection> connection_;
  std::unique_ptr<kube::Client> client_;
};

}  // namespace landfall::sandbox
