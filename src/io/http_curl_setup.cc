#include "io/http_curl_setup.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "base/strings.h"
#include "io/http_client.h"
#include "io/http_transfer.h"

namespace landfall::io {
namespace {

static_assert(CURL_ERROR_SIZE == 256);

constexpr long kReceiveBuffer = 32L * 1024;
constexpr long kKeepAliveSeconds = 30;
// The pool decides on the age of connections, by its own clock.
constexpr long kNoMaximumAge = 365L * 24 * 3600;

long milliseconds(Duration duration) {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(std::min(duration, Duration(std::chrono::hours(24))));
  return std::max<long>(whole.count(), 1);
}

// libcurl's callbacks. They are noexcept: an exception cannot pass through C, and none is expected.

std::size_t on_header(char* bytes, std::size_t /*one*/, std::size_t count, void* transfer) noexcept {
  return static_cast<HttpTransfer*>(transfer)->take_header({bytes, count});
}

std::size_t on_body(char* bytes, std::size_t /*one*/, std::size_t count, void* transfer) noexcept {
  return static_cast<HttpTransfer*>(transfer)->take_body({bytes, count});
}

std::size_t on_upload(char* bytes, std::size_t one, std::size_t count, void* transfer) noexcept {
  return static_cast<HttpTransfer*>(transfer)->give_body(std::span(bytes, one * count));
}

int on_connected(void* transfer, char* /*address*/, char* /*local*/, int /*port*/, int /*local_port*/) noexcept {
  return static_cast<HttpTransfer*>(transfer)->may_send_now() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

CURLcode on_tls(CURL* /*easy*/, void* ssl_context, void* transfer) noexcept {
  return static_cast<HttpTransfer*>(transfer)->set_up_tls(ssl_context) ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

std::string decoded(std::string_view text) { return percent_decode(text).value_or(std::string(text)); }

}  // namespace

void HttpCurlSetup::ListRelease::operator()(void* list) const { curl_slist_free_all(static_cast<curl_slist*>(list)); }

void HttpCurlSetup::List::add(const std::string& line) {
  curl_slist* longer = curl_slist_append(static_cast<curl_slist*>(head_.get()), line.c_str());
  if (longer == nullptr) {
    failed_ = true;
    return;
  }
  (void)head_.release();
  head_.reset(longer);
}

template <class Value>
void HttpCurlSetup::set(void* easy, int option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, static_cast<CURLoption>(option), value);
  if (code != CURLE_OK && first_error_ == 0) {
    first_error_ = code;
  }
}

Status HttpCurlSetup::apply(void* easy, const HttpClientOptions& options, const HttpRequest& request, const Url& url,
                            HttpTransfer& transfer) {
  if (!is_set_up_) {
    set_once(easy, options, url);
    is_set_up_ = true;
  }
  error_.front() = '\0';
  set_request(easy, request, url);
  set_headers(easy, request, url);
  set_body(easy, request);
  void* self = &transfer;
  set(easy, CURLOPT_HEADERDATA, self);
  set(easy, CURLOPT_WRITEDATA, self);
  set(easy, CURLOPT_READDATA, self);
  set(easy, CURLOPT_PREREQDATA, self);
  set(easy, CURLOPT_SSL_CTX_DATA, self);
  return refusal();
}

Status HttpCurlSetup::connect_only(void* easy) {
  set(easy, CURLOPT_CONNECT_ONLY, 1L);
  set(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  return refusal();
}

Status HttpCurlSetup::refusal() const {
  if (first_error_ != 0 || headers_.failed() || connect_to_.failed()) {
    return fail(Code::kInternal, "libcurl does not take an option: " +
                                     std::string(curl_easy_strerror(static_cast<CURLcode>(first_error_))));
  }
  return {};
}

void HttpCurlSetup::set_once(void* easy, const HttpClientOptions& options, const Url& url) {
  set(easy, CURLOPT_ERRORBUFFER, error_.data());
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a resolver thread when a call is given up
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  set(easy, CURLOPT_HTTP_VERSION,
      options.http2 ? static_cast<long>(CURL_HTTP_VERSION_2TLS) : static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  set(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
  set(easy, CURLOPT_MAXAGE_CONN, kNoMaximumAge);
  set(easy, CURLOPT_BUFFERSIZE, kReceiveBuffer);
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
  set(easy, CURLOPT_HEADERFUNCTION, &on_header);
  set(easy, CURLOPT_WRITEFUNCTION, &on_body);
  set(easy, CURLOPT_READFUNCTION, &on_upload);
  set(easy, CURLOPT_PREREQFUNCTION, &on_connected);
  set(easy, CURLOPT_SSL_CTX_FUNCTION, &on_tls);
  if (const std::optional<Url> proxy = options.proxy.proxy_for(url)) {
    set_proxy(easy, *proxy);
  } else {
    set(easy, CURLOPT_PROXY, "");  // an empty one keeps libcurl from looking into the environment
  }
  set(easy, CURLOPT_NOPROXY, "");
  set_tls(easy, options, url);
}

void HttpCurlSetup::set_proxy(void* easy, const Url& proxy) {
  Url address = proxy;
  address.userinfo.clear();
  address.path.clear();
  address.query.reset();
  address.fragment.reset();
  address.port = effective_port(proxy);
  if (address.scheme == "socks5") {
    address.scheme = "socks5h";  // the proxy resolves names, as with Go's programs
  }
  set(easy, CURLOPT_PROXY, to_string(address).c_str());
  if (!proxy.userinfo.empty()) {
    const auto parts = cut(proxy.userinfo, ':');
    set(easy, CURLOPT_PROXYUSERNAME, decoded(parts ? parts->first : proxy.userinfo).c_str());
    set(easy, CURLOPT_PROXYPASSWORD, decoded(parts ? parts->second : "").c_str());
    set(easy, CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_BASIC));
  }
}

// Resumed sessions are not used: they would skip the check of a certificate that has expired meanwhile.
void HttpCurlSetup::set_tls(void* easy, const HttpClientOptions& options, const Url& url) {
  const long verify = options.tls.skip_verification ? 0 : 1;
  const char* const none = nullptr;
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  set(easy, CURLOPT_SSL_VERIFYPEER, verify);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2 * verify);
  set(easy, CURLOPT_PROXY_SSL_VERIFYPEER, verify);
  set(easy, CURLOPT_PROXY_SSL_VERIFYHOST, 2 * verify);
  set(easy, CURLOPT_CAINFO, none);  // HttpTlsMaterial brings the authorities
  set(easy, CURLOPT_CAPATH, none);
  set(easy, CURLOPT_PROXY_CAINFO, none);
  set(easy, CURLOPT_PROXY_CAPATH, none);
  const std::string& server_name = options.tls.server_name;
  if (url.scheme == "https" && !server_name.empty() && server_name != url.host) {
    // The URL is given that name, for TLS, and the connection is led to the real host.
    const std::string port = std::to_string(effective_port(url));
    const std::string real = contains(url.host, ":") ? "[" + url.host + "]" : url.host;
    connect_to_.add(server_name + ":" + port + ":" + real + ":" + port);
    set(easy, CURLOPT_CONNECT_TO, static_cast<curl_slist*>(connect_to_.get()));
    other_host_ = server_name;
  }
}

void HttpCurlSetup::set_request(void* easy, const HttpRequest& request, const Url& url) {
  if (other_host_.empty()) {
    set(easy, CURLOPT_URL, to_string(url).c_str());
  } else {
    Url renamed = url;
    renamed.host = other_host_;
    set(easy, CURLOPT_URL, to_string(renamed).c_str());
  }
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connect_timeout));
  set(easy, CURLOPT_ACCEPT_ENCODING, request.accept_gzip ? "gzip" : nullptr);
}

void HttpCurlSetup::set_headers(void* easy, const HttpRequest& request, const Url& url) {
  headers_ = {};
  std::string line;
  for (const auto& [name, value] : request.headers.fields()) {
    line.assign(name).append(value.empty() ? ";" : ": ").append(value);
    headers_.add(line);
  }
  if (!other_host_.empty() && !request.headers.has("Host")) {
    headers_.add("Host: " + authority(url));
  }
  // A name without a value takes away what libcurl would add by itself.
  for (const char* name : {"Accept", "Content-Type"}) {
    if (!request.headers.has(name)) {
      headers_.add(line.assign(name).append(":"));
    }
  }
  headers_.add(request.expect_continue && request.body.has_body() ? "Expect: 100-continue" : "Expect:");
  set(easy, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(headers_.get()));
}

void HttpCurlSetup::set_body(void* easy, const HttpRequest& request) {
  const bool is_head = request.method == "HEAD";
  const bool wants_length = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  set(easy, CURLOPT_HTTPGET, 1L);  // takes back what the request before has set
  set(easy, CURLOPT_CUSTOMREQUEST, is_head ? nullptr : request.method.c_str());
  if (is_head) {
    set(easy, CURLOPT_NOBODY, 1L);
  } else if (const HttpBody::Stream* stream = request.body.as_stream()) {
    set(easy, CURLOPT_UPLOAD, 1L);
    set(easy, CURLOPT_INFILESIZE_LARGE, stream->length ? static_cast<curl_off_t>(*stream->length) : curl_off_t{-1});
  } else if (request.body.has_body() || wants_length) {
    const std::string_view bytes = request.body.in_memory().value_or("");
    set(easy, CURLOPT_POST, 1L);
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
    set(easy, CURLOPT_POSTFIELDS, bytes.empty() ? "" : bytes.data());
  }
}

}  // namespace landfall::io
