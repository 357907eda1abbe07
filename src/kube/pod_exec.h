#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "io/stream.h"
#include "kube/client.h"

namespace landfall::kube {

struct ExecRequest {
  std::string name_space;
  std::string pod;
  std::string container;             // empty: the pod's default
  std::vector<std::string> command;  // run as it is, without a shell
  // Standard input, read on a thread of its own; exec_in_pod() does not return before a read of it has, so a reader
  // that can block heeds the stop by itself. Null: the command has none.
  io::Reader* input = nullptr;
  // Whether the command has to see the end of its input, as `cat` does. Servers before Kubernetes 1.30 cannot pass it
  // on (v4.channel.k8s.io): with them such a command is refused with kUnsupported before it starts. Without it they
  // start it, and its input stays open for as long as it runs.
  bool needs_end_of_input = true;
  Duration timeout = std::chrono::seconds(30);  // for everything
};

// Hear what the command writes, as it comes, on the calling thread; a slow one slows the command down. An error ends
// the call with that error. Either may be left out.
struct ExecOutput {
  std::function<Status(std::string_view bytes)> on_stdout;
  std::function<Status(std::string_view bytes)> on_stderr;
};

struct ExecOutcome {
  int exit_code = 0;
};

// Runs a command in a container over a WebSocket (v5.channel.k8s.io, v4.channel.k8s.io) and returns when it is over.
//
//   a value            the command ran and ended; its exit code may be any
//   an ApiStatus       the server's own words in the detail: no such pod (kNotFound), not allowed (kForbidden), a
//                      command that could not be started (kInternal)
//   kTimeout           no result within the timeout. The connection is closed; the command may go on in the container,
//                      because Kubernetes has no way to end it
//   kUnavailable       the connection broke, or ended without a result: the command may have run
//
// A command that ends without reading megabytes of its input may keep the node, and so the result, waiting until our
// timeout: seen with 4 MiB on Kubernetes 1.34, where kubectl waits in the same way.
//
// Only what cannot have started the command is tried again. What is held in memory is a few hundred KiB.
Result<ExecOutcome> exec_in_pod(Client& client, const ExecRequest& request, const ExecOutput& output,
                                const std::stop_token& stop);

}  // namespace landfall::kube
