#include "io/websocket.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/encoding.h"
#include "base/strings.h"
#include "io/http_request_check.h"
#include "io/http_tunnel.h"
#include "io/websocket_handshake.h"

namespace landfall::io {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} * 1024;
// So much may wait to be sent before the next message is asked for.
constexpr std::size_t kMaxWaiting = std::size_t{64} * 1024;
// So often in a row we read before we look at what there is to send, and at the clock.
constexpr int kReadsInARow = 16;
// What comes back for pings while the server does not read: after that they are not answered.
constexpr std::size_t kMaxPongs = std::size_t{1} << 20U;
constexpr std::size_t kMaxRefusalBody = std::size_t{64} * 1024;
constexpr auto kRefusalPatience = std::chrono::seconds(5);

std::string random_key(Random& random) {
  std::string bytes;
  for (int word = 0; word < 2; ++word) {
    const std::uint64_t bits = random.bits();
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes.push_back(static_cast<char>((bits >> shift) & 0xffU));
    }
  }
  return base64_encode(bytes);
}

std::string describe(const HttpRequest& request) { return "WebSocket " + redact_url(request.url); }

tl::unexpected<HttpError> failed(const HttpRequest& request, Error error, bool sent) {
  return tl::unexpected(HttpError(std::move(error).with_context(describe(request)), sent));
}

Error refused(const UpgradeAnswer& answer) {
  auto refusal = std::make_shared<WebSocketRefusal>();
  refusal->head = answer.head();
  refusal->body = answer.body();
  return {answer.head().status >= 500 ? Code::kUnavailable : Code::kInvalid,
          "the server answered the upgrade with status " + std::to_string(answer.head().status), std::move(refusal)};
}

}  // namespace

struct WebSocket::Impl {
  Impl(std::unique_ptr<HttpTunnel> the_tunnel, std::size_t max_message, Random& the_random)
      : tunnel(std::move(the_tunnel)),
        random(the_random),
        reader(WebSocketFrameReader::From::kServer, max_message),
        assembler(max_message) {}

  // What one round came to: the end of the run, or whether there is something left to do without waiting.
  struct Round {
    std::optional<End> end;
    bool is_busy = false;
  };

  Result<UpgradeAnswer> handshake(const std::string& request, SteadyTime deadline, const std::stop_token& stop,
                                  bool& sent);
  Result<Round> receive(const Handlers& handlers);
  Result<std::optional<End>> take(const Handlers& handlers);
  Result<std::optional<End>> handle(const Handlers& handlers, WebSocketMessage message);
  Result<bool> ask(const Handlers& handlers);
  Result<bool> flush();
  void queue(WebSocketOpcode opcode, std::string_view payload);

  std::unique_ptr<HttpTunnel> tunnel;
  Random& random;
  std::string protocol;
  WebSocketFrameReader reader;
  WebSocketAssembler assembler;
  WebSocketClose closing;
  bool said_goodbye = false;
  std::string out;  // to be sent
  std::size_t out_at = 0;
  std::vector<char> buffer = std::vector<char>(kReadSize);
};

// Sends the request and reads the answer. A refusal's body is waited for a while only: it is but an explanation.
Result<UpgradeAnswer> WebSocket::Impl::handshake(const std::string& request, SteadyTime deadline,
                                                 const std::stop_token& stop, bool& sent) {
  out = request;
  UpgradeAnswer answer(tunnel->max_header_bytes(), tunnel->max_header_count(), kMaxRefusalBody);
  SteadyTime until = deadline;
  while (true) {
    const Result<bool> flushed = flush();
    sent = sent || out_at > 0;
    TRY_ASSIGN(const bool has_more, "send the upgrade", flushed);
    TRY_ASSIGN(const HttpTunnel::Received got, "read the answer to the upgrade", tunnel->read_some(buffer));
    if (got.count > 0) {
      TRY("", answer.feed({buffer.data(), got.count}));
    }
    if (answer.has_head()) {
      if (answer.is_upgraded() || answer.has_body() || got.has_ended) {
        return answer;
      }
      until = std::min(until, tunnel->clock().after(kRefusalPatience));
    }
    if (got.has_ended) {
      return fail(Code::kUnavailable, "the server closed the connection without an answer to the upgrade");
    }
    if (got.count == 0) {
      const Status waited = tunnel->wait(has_more, until, stop);
      if (!waited && waited.error().code() == Code::kTimeout && answer.has_head()) {
        return answer;
      }
      TRY("waiting for the answer to the upgrade", waited);
    }
  }
}

HttpResult<std::unique_ptr<WebSocket>> WebSocket::open(HttpClient& client, const HttpRequest& request,
                                                       const WebSocketOptions& options, Random& random,
                                                       const std::stop_token& stop) {
  auto tunnel = client.connect(request, stop);
  if (!tunnel) {
    return tl::unexpected(std::move(tunnel).error());
  }
  const Result<Url> url = check_request(request);
  if (!url) {
    return failed(request, url.error(), false);
  }
  auto impl = std::make_unique<Impl>(*std::move(tunnel), options.max_message, random);
  const std::string key = random_key(random);
  const std::string text = upgrade_request(request, *url, options.protocols, key, impl->tunnel->user_agent());
  bool sent = false;
  const SteadyTime deadline = std::min(request.deadline, request.head_deadline);
  Result<UpgradeAnswer> answer = impl->handshake(text, deadline, stop, sent);
  if (!answer) {
    return failed(request, std::move(answer).error(), sent);
  }
  if (!answer->is_upgraded()) {
    return failed(request, refused(*answer), true);
  }
  Result<std::string> protocol = check_upgrade(answer->head(), key, options.protocols);
  if (!protocol) {
    return failed(request, std::move(protocol).error(), true);
  }
  impl->protocol = *std::move(protocol);
  impl->reader.feed(answer->rest());
  return std::unique_ptr<WebSocket>(
      new WebSocket(std::move(impl)));  // allow-call: the constructor is private, make_unique cannot
}

WebSocket::WebSocket(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WebSocket::~WebSocket() = default;
const std::string& WebSocket::protocol() const { return impl_->protocol; }
const WebSocketClose& WebSocket::closing() const { return impl_->closing; }
void WebSocket::wake() { impl_->tunnel->wake(); }

Result<WebSocket::End> WebSocket::run(const Handlers& handlers, SteadyTime deadline, const std::stop_token& stop) {
  // What came along with the answer to the upgrade, or behind the message that ended the run before.
  TRY_ASSIGN(std::optional<End> end, "", impl_->take(handlers));
  while (!end) {
    TRY_ASSIGN(const bool may_ask_again, "", impl_->ask(handlers));
    const Result<bool> has_more = impl_->flush();
    // A server that closes while we still write has said why, and that is worth more than a broken pipe.
    TRY_ASSIGN(const std::optional<Impl::Round> round, "", impl_->receive(handlers));
    if (round->end) {
      return *round->end;
    }
    if (stop.stop_requested()) {
      return fail(Code::kCancelled, "cancelled");
    }
    if (impl_->tunnel->clock().now() >= deadline) {
      return fail(Code::kTimeout, "the deadline passed");
    }
    if (round->is_busy) {
      continue;
    }
    TRY("", has_more);
    if (*has_more || !may_ask_again) {
      TRY("", impl_->tunnel->wait(*has_more, deadline, stop));
    }
  }
  return *end;
}

Result<WebSocket::Impl::Round> WebSocket::Impl::receive(const Handlers& handlers) {
  for (int i = 0; i < kReadsInARow; ++i) {
    TRY_ASSIGN(const HttpTunnel::Received got, "", tunnel->read_some(buffer));
    if (got.has_ended) {
      if (reader.has_rest() || assembler.has_rest()) {
        return fail(Code::kUnavailable, "the connection ended in the middle of a message");
      }
      return Round{.end = End::kCut};
    }
    if (got.count == 0) {
      return Round{};
    }
    reader.feed({buffer.data(), got.count});
    TRY_ASSIGN(const std::optional<End> end, "", take(handlers));
    if (end) {
      return Round{.end = end};
    }
  }
  return Round{.end = std::nullopt, .is_busy = true};
}

Result<std::optional<WebSocket::End>> WebSocket::Impl::take(const Handlers& handlers) {
  while (true) {
    TRY_ASSIGN(std::optional<WebSocketFrame> frame, "", reader.next());
    if (!frame) {
      return std::nullopt;
    }
    TRY_ASSIGN(std::optional<WebSocketMessage> message, "", assembler.add(*std::move(frame)));
    if (!message) {
      continue;
    }
    TRY_ASSIGN(const std::optional<End> end, "", handle(handlers, *std::move(message)));
    if (end) {
      return end;
    }
  }
}

Result<std::optional<WebSocket::End>> WebSocket::Impl::handle(const Handlers& handlers, WebSocketMessage message) {
  switch (message.opcode) {
    case WebSocketOpcode::kPing:
      if (out.size() - out_at < kMaxPongs) {
        queue(WebSocketOpcode::kPong, message.payload);
      }
      return std::nullopt;
    case WebSocketOpcode::kPong:
      return std::nullopt;
    case WebSocketOpcode::kClose: {
      TRY_ASSIGN(closing, "", parse_close(message.payload));
      queue(WebSocketOpcode::kClose, message.payload);
      said_goodbye = true;
      (void)flush();  // out of politeness: the server goes in any case
      return End::kClosed;
    }
    default: {
      TRY_ASSIGN(const bool more, "", handlers.on_message(message.payload));
      return more ? std::nullopt : std::optional(End::kHandler);
    }
  }
}

// False when there was nothing more to send at the moment, true when there may be but no room for it.
Result<bool> WebSocket::Impl::ask(const Handlers& handlers) {
  while (handlers.next_message && out.size() - out_at < kMaxWaiting) {
    TRY_ASSIGN(const std::optional<std::string> message, "", handlers.next_message());
    if (!message) {
      return false;
    }
    queue(WebSocketOpcode::kBinary, *message);
  }
  return handlers.next_message != nullptr;
}

// True when something is left that the connection does not take at the moment.
Result<bool> WebSocket::Impl::flush() {
  while (out_at < out.size()) {
    TRY_ASSIGN(const std::size_t count, "", tunnel->write_some(std::string_view(out).substr(out_at)));
    if (count == 0) {
      return true;
    }
    out_at += count;
  }
  return false;
}

void WebSocket::Impl::queue(WebSocketOpcode opcode, std::string_view payload) {
  // Moving what has not gone out yet is what SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER is for.
  out.erase(0, out_at);
  out_at = 0;
  append_frame(out, opcode, true, payload, static_cast<std::uint32_t>(random.bits()));
}

void WebSocket::say_goodbye() {
  if (!std::exchange(impl_->said_goodbye, true)) {
    impl_->queue(WebSocketOpcode::kClose, close_payload({.code = kWebSocketNormalClosure, .reason = ""}));
    (void)impl_->flush();
  }
}

}  // namespace landfall::io
