#include "main/sandbox_check.h"

namespace landfall {

Status check_is_sandbox(kube::Client& client, const std::stop_token& stop) {
  const auto answer = client.call({.path = "/sandbox/faults"}, stop);
  if (answer) return {};
  if (answer.error().code() != Code::kNotFound) return fail("ask the server", answer.error());
  return fail(Code::kInvalid, client.connection().server() +
                                  " is not a sandbox: this is only for those that `landfall sandbox start` serves");
}

}  // namespace landfall
