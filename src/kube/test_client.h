#pragma once

#include <memory>
#include <string>

#include "base/random.h"
#include "io/fake_process.h"
#include "kube/client.h"

namespace landfall::kube {

// For tests: a client of a server on this machine, with everything it needs. Retries follow each other quickly.
struct TestClient {
  explicit TestClient(std::string server, ClientOptions options = quick(), Clock& clock = system_clock()) {
    Config config;
    config.origin = "the test";
    config.server = std::move(server);
    config.token = "secret-token";
    connection = Connection::create(std::move(config), Environment(), processes, clock, Logger()).value();
    client = std::make_unique<Client>(*connection, std::move(options), clock, random, Logger());
  }

  static ClientOptions quick() {
    ClientOptions options;
    options.timeout = std::chrono::seconds(20);
    options.retries = {.first = std::chrono::milliseconds(1), .cap = std::chrono::milliseconds(5)};
    return options;
  }

  Client& operator*() const { return *client; }
  Client* operator->() const { return client.get(); }

  io::FakeProcessRunner processes;
  SeededRandom random{1};
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Client> client;
};

}  // namespace landfall::kube
