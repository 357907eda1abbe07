#include "io/http_tunnel.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/strings.h"
#include "io/http_transfer.h"

namespace landfall::io {
namespace {

constexpr auto kGlance = std::chrono::seconds(1);

// A tunnel's transfer hears of no response.
class NoSink final : public HttpSink {
 public:
  Result<HttpFlow> on_head(HttpHead /*head*/) override { return HttpFlow::kStop; }
  Result<HttpFlow> on_body(std::string_view /*bytes*/) override { return HttpFlow::kStop; }
};

Error broken(CURLcode code, std::string_view detail) {
  const std::string why = detail.empty() ? curl_easy_strerror(code) : std::string(trim(detail));
  return {Code::kUnavailable, "the connection broke: " + why};
}

}  // namespace

HttpResult<std::unique_ptr<HttpTunnel>> HttpTunnel::open(std::shared_ptr<HttpContext> context,
                                                         const HttpRequest& request, const std::stop_token& stop) {
  NoSink sink;
  HttpTransfer transfer(context, request, sink, 0, stop);
  if (HttpResult<void> started = transfer.start_tunnel(); !started) {
    return tl::unexpected(std::move(started).error());
  }
  if (HttpResult<void> ran = transfer.run({}); !ran) {
    return tl::unexpected(std::move(ran).error());
  }
  std::unique_ptr<HttpSlot> slot = transfer.take_slot();
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(slot->easy.get(), CURLINFO_ACTIVESOCKET, &socket);
  // Owned from here on, so that it is taken apart in the right order whatever comes.
  auto tunnel = std::make_unique<HttpTunnel>(std::move(context), std::move(slot), socket);
  if (socket == CURL_SOCKET_BAD) {
    return tl::unexpected(HttpError(Error(Code::kUnavailable, "the connection was closed at once"), false));
  }
  return tunnel;
}

HttpTunnel::HttpTunnel(std::shared_ptr<HttpContext> context, std::unique_ptr<HttpSlot> slot, int socket)
    : context_(std::move(context)), slot_(std::move(slot)), socket_(socket) {}

HttpTunnel::~HttpTunnel() { curl_multi_remove_handle(slot_->multi.get(), slot_->easy.get()); }

Result<HttpTunnel::Received> HttpTunnel::read_some(std::span<char> buffer) {
  std::size_t count = 0;
  const CURLcode code = curl_easy_recv(slot_->easy.get(), buffer.data(), buffer.size(), &count);
  if (code == CURLE_AGAIN) {
    return Received{};
  }
  if (code != CURLE_OK) {
    return tl::unexpected(broken(code, slot_->setup.detail()));
  }
  return Received{.count = count, .has_ended = count == 0 && !buffer.empty()};
}

Result<std::size_t> HttpTunnel::write_some(std::string_view bytes) {
  std::size_t count = 0;
  const CURLcode code = curl_easy_send(slot_->easy.get(), bytes.data(), bytes.size(), &count);
  if (code == CURLE_AGAIN) {
    return 0;
  }
  if (code != CURLE_OK) {
    return tl::unexpected(broken(code, slot_->setup.detail()));
  }
  return count;
}

Status HttpTunnel::wait(bool for_room, SteadyTime deadline, const std::stop_token& stop) {
  const SteadyTime now = context_->clock.now();
  void* multi = slot_->multi.get();
  const std::stop_callback on_stop(stop, [multi] { curl_multi_wakeup(multi); });
  if (stop.stop_requested()) {
    return fail(Code::kCancelled, "cancelled");
  }
  if (now >= deadline) {
    return fail(Code::kTimeout, "the deadline passed");
  }
  const auto most = std::chrono::ceil<std::chrono::milliseconds>(std::min<Duration>(deadline - now, kGlance));
  curl_waitfd ours{.fd = socket_, .events = CURL_WAIT_POLLIN, .revents = 0};
  if (for_room) {
    ours.events |= CURL_WAIT_POLLOUT;
  }
  if (curl_multi_poll(multi, &ours, 1, static_cast<int>(most.count()), nullptr) != CURLM_OK) {
    return fail(Code::kInternal, "libcurl cannot wait");
  }
  return {};
}

void HttpTunnel::wake() { curl_multi_wakeup(slot_->multi.get()); }

Clock& HttpTunnel::clock() const { return context_->clock; }
const std::string& HttpTunnel::user_agent() const { return context_->options.user_agent; }
std::size_t HttpTunnel::max_header_bytes() const { return context_->options.max_header_bytes; }
std::size_t HttpTunnel::max_header_count() const { return context_->options.max_header_count; }

}  // namespace landfall::io
