#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/environment.h"
#include "base/guarded.h"
#include "io/log_sink.h"
#include "kube/client.h"
#include "server/options.h"

namespace landfall::stories {

// `landfall server` in a thread of this process, on free ports, from construction to destruction.
class RunningServer {
 public:
  // The client must outlive it. Addresses and identity are filled in.
  RunningServer(kube::Client& client, server::ServerOptions options);
  ~RunningServer();
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::string log() const { return log_->text(); }
  // Empty while it runs; what it ended with otherwise.
  std::string error() const { return error_.copy(); }

 private:
  const Environment environment_;
  const std::shared_ptr<io::MemoryLogSink> log_ = std::make_shared<io::MemoryLogSink>();
  Guarded<std::string> error_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace landfall::stories
