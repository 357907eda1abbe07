#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "base/random.h"
#include "io/file.h"
#include "io/process.h"
#include "kube/client.h"
#include "kube/config.h"
#include "real/real_components.h"

namespace landfall::kube {

// A file of the real cluster's keys and certificates.
inline std::string real_file(const std::string& name) {
  return io::read_file(real_component("LANDFALL_REAL_PKI") + "/" + name, 1 << 20).value_or("missing " + name);
}

// A client of the real kube-apiserver, by its kubeconfig, or of another. Throws without one: nothing can be tested
// then.
class RealClient {
 public:
  explicit RealClient(ClientOptions options = {},
                      const std::string& kubeconfig = real_component("LANDFALL_REAL_KUBECONFIG"))
      : processes_(io::make_system_process_runner(system_clock())),
        connection_(must(Connection::create(must(load_config({.kubeconfig = kubeconfig}, Environment::of_process())),
                                            Environment::of_process(), *processes_, system_clock(), Logger()))),
        client_(std::make_unique<Client>(*connection_, std::move(options), system_clock(), system_random(), Logger())) {
  }

  Client& operator*() const { return *client_; }
  Client* operator->() const { return client_.get(); }
  std::string server() const { return connection_->server(); }

 private:
  template <class T>
  static T must(Result<T> result) {
    if (!result) {
      throw std::runtime_error(result.error().message());
    }
    return *std::move(result);
  }
  std::unique_ptr<io::ProcessRunner> processes_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Client> client_;
};

}  // namespace landfall::kube
