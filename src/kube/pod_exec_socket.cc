#include "kube/pod_exec_socket.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/backoff.h"
#include "base/random.h"
#include "kube/api_status.h"

namespace landfall::kube {
namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(10);
constexpr BackoffPolicy kRetries{.first = std::chrono::milliseconds(100), .cap = std::chrono::seconds(5)};
constexpr int kMaxRetries = 5;
constexpr std::size_t kMaxMessage = std::size_t{4} << 20U;

// What the server meant, where it answered at all.
Error translate(const io::HttpError& error) {
  const Error plain = error;
  const auto* refusal = plain.detail<io::WebSocketRefusal>();
  return refusal == nullptr ? plain : error_from(refusal->head.status, refusal->head.headers, refusal->body);
}

bool was_turned_away(const Error& error) {
  const auto* status = error.detail<ApiStatus>();
  return error.code() == Code::kThrottled || (status != nullptr && status->retry_after);
}

Duration wait_for(const Error& error, Backoff& backoff) {
  const auto* status = error.detail<ApiStatus>();
  const Duration wait = backoff.next();
  return status != nullptr && status->retry_after ? std::max(wait, *status->retry_after) : wait;
}

}  // namespace

Result<std::unique_ptr<io::WebSocket>> open_socket(Client& client, const std::string& path,
                                                   const io::QueryParameters& query,
                                                   const std::vector<std::string>& protocols, SteadyTime deadline,
                                                   const std::stop_token& stop) {
  Connection& connection = client.connection();
  Clock& clock = client.clock();
  Backoff backoff(kRetries, system_random());
  bool is_renewed = false;
  while (true) {
    TRY_ASSIGN(const std::shared_ptr<const Identity> identity, "", connection.identity(stop, deadline));
    const io::HttpRequest request{.url = connection.server() + path + "?" + io::build_query(query),
                                  .headers = identity->headers,
                                  .deadline = deadline,
                                  .connect_timeout = kConnectTimeout};
    auto socket = io::WebSocket::open(*identity->http, request, {.protocols = protocols, .max_message = kMaxMessage},
                                      system_random(), stop);
    if (socket) {
      return *std::move(socket);
    }
    Error error = translate(socket.error());
    if (error.code() == Code::kUnauthenticated && !is_renewed && connection.reject(identity)) {
      is_renewed = true;
      continue;
    }
    const bool is_safe = !socket.error().request_may_have_been_sent() || was_turned_away(error);
    if (!is_safe || !is_retryable(error.code()) || backoff.attempts() >= kMaxRetries) {
      return tl::unexpected(std::move(error));
    }
    const Duration wait = wait_for(error, backoff);
    if (clock.after(wait) >= deadline) {
      return tl::unexpected(std::move(error));
    }
    if (!clock.sleep_for(wait, stop)) {
      return fail(Code::kCancelled, "cancelled");
    }
  }
}

}  // namespace landfall::kube
