#include "io/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "io/http_request_check.h"
#include "io/http_tls.h"
#include "io/http_transfer.h"
#include "io/http_tunnel.h"

namespace landfall::io {
namespace {

constexpr std::size_t kDefaultBodyLimit = 64UL * 1024 * 1024;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
// More than this is not asked for in one piece because a server says how much will come.
constexpr std::size_t kMaxReserve = 1UL * 1024 * 1024;

class BufferSink final : public HttpSink {
 public:
  Result<HttpFlow> on_head(HttpHead head) override {
    response.status = head.status;
    response.headers = std::move(head.headers);
    if (const auto length = response.headers.get("content-length")) {
      response.body.reserve(std::min<std::size_t>(parse_uint64(*length).value_or(0), kMaxReserve));
    }
    return HttpFlow::kContinue;
  }
  Result<HttpFlow> on_body(std::string_view bytes) override {
    response.body += bytes;
    return HttpFlow::kContinue;
  }

  HttpResponse response;
};

class HandlerSink final : public HttpSink {
 public:
  explicit HandlerSink(const HttpStreamHandlers& handlers) : handlers_(handlers) {}

  Result<HttpFlow> on_head(HttpHead head) override {
    Result<HttpFlow> flow = handlers_.on_head ? handlers_.on_head(head) : HttpFlow::kContinue;
    response.status = head.status;
    response.headers = std::move(head.headers);
    return flow;
  }
  Result<HttpFlow> on_body(std::string_view bytes) override { return handlers_.on_body(bytes); }

  HttpResponse response;

 private:
  const HttpStreamHandlers& handlers_;
};

template <class Sink>
HttpResult<HttpResponse> run_to_the_end(const std::shared_ptr<HttpContext>& context, const HttpRequest& request,
                                        Sink& sink, std::size_t limit, const std::stop_token& stop) {
  HttpTransfer transfer(context, request, sink, limit, stop);
  if (HttpResult<void> started = transfer.start(); !started) {
    return tl::unexpected(std::move(started).error());
  }
  if (HttpResult<void> ran = transfer.run({}); !ran) {
    return tl::unexpected(std::move(ran).error());
  }
  sink.response.trailers = std::move(transfer.trailers());
  return std::move(sink.response);
}

// libcurl wants this once, before anything else of it.
Status init_curl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    return fail(Code::kInternal, std::string("start libcurl: ") + curl_easy_strerror(code));
  }
  return {};
}

}  // namespace

struct HttpClient::Impl {
  std::shared_ptr<HttpContext> context;
};

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::create(HttpClientOptions options, Clock& clock) {
  TRY("", init_curl());
  if (!is_http_field_value(options.user_agent)) {
    return fail(Code::kInvalid, "the user agent holds a line break or control character");
  }
  if (const std::string& name = options.tls.server_name; !name.empty() && !parse_url("https://" + name)) {
    return fail(Code::kInvalid, "tls: server name " + quote(name) + " is not a host name");
  }
  TRY_ASSIGN(std::unique_ptr<HttpTlsMaterial> tls, "", HttpTlsMaterial::load(options.tls, options.environment));
  auto impl = std::make_unique<Impl>();
  impl->context = std::make_shared<HttpContext>(std::move(options), std::move(tls), clock);
  return std::unique_ptr<HttpClient>(
      new HttpClient(std::move(impl)));  // allow-call: the constructor is private, make_unique cannot
}

HttpResult<HttpResponse> HttpClient::send(const HttpRequest& request, const std::stop_token& stop) {
  BufferSink sink;
  return run_to_the_end(impl_->context, request, sink, request.max_response_body.value_or(kDefaultBodyLimit), stop);
}

HttpResult<HttpResponse> HttpClient::stream(const HttpRequest& request, const HttpStreamHandlers& handlers,
                                            const std::stop_token& stop) {
  HandlerSink sink(handlers);
  return run_to_the_end(impl_->context, request, sink, request.max_response_body.value_or(kNoLimit), stop);
}

HttpResult<std::unique_ptr<HttpDownload>> HttpClient::open(const HttpRequest& request, const std::stop_token& stop) {
  return HttpDownload::start(impl_->context, request, stop);
}

HttpResult<std::unique_ptr<HttpTunnel>> HttpClient::connect(const HttpRequest& request, const std::stop_token& stop) {
  return HttpTunnel::open(impl_->context, request, stop);
}

void HttpClient::close_idle_connections() { impl_->context->pool.clear(); }

}  // namespace landfall::io
