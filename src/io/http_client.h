#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "io/http_error.h"
#include "io/http_message.h"
#include "io/http_proxy.h"
#include "io/stream.h"

namespace landfall::io {

struct HttpContext;

// How servers are trusted and how we show who we are. TLS 1.2 is the least that is spoken.
struct HttpTlsOptions {
  std::string ca_pem;                  // authorities to trust instead of the system's
  std::string ca_file;                 // the same from a file, read by create(); both together are added up
  std::string client_certificate_pem;  // with the chain behind it, if any; both or neither
  std::string client_key_pem;          // never touches the disk
  std::string server_name;             // the name the certificate must be for, when it is not the URL's host
  bool skip_verification = false;
};

struct HttpClientOptions {
  HttpTlsOptions tls;
  HttpProxy proxy;
  Environment environment;  // for SSL_CERT_FILE only: where the system's authorities are, if not in a usual place
  std::string user_agent = "landfall";
  bool http2 = false;  // offer HTTP/2 over TLS; otherwise HTTP/1.1 is spoken
  std::size_t max_idle_connections = 128;
  Duration max_idle_age = std::chrono::seconds(90);
  std::size_t max_header_bytes = 256UL * 1024;  // of a response, all lines together
  std::size_t max_header_count = 1000;
};

class HttpTunnel;

enum class HttpFlow { kContinue, kStop };

// What to do with a response as it arrives, on the thread of the call. kStop ends the call as a success, an error ends
// it with that error; in both cases the connection is given up. Must not throw.
struct HttpStreamHandlers {
  std::function<Result<HttpFlow>(const HttpHead&)> on_head = {};    // optional
  std::function<Result<HttpFlow>(std::string_view bytes)> on_body;  // as much as has come, never waiting for more
};

// A response body to be pulled. Holds its connection: what is not read stays with the server (a few hundred KiB are
// buffered). Destroyed before the end it closes the connection. The deadline and the stop of the request hold for
// read(), too; the idle time-out counts only while read() waits. Not thread-safe; may outlive its client.
class HttpDownload final : public Reader {
 public:
  struct Impl;
  explicit HttpDownload(std::unique_ptr<Impl> impl);
  // What HttpClient::open() does.
  static HttpResult<std::unique_ptr<HttpDownload>> start(std::shared_ptr<HttpContext> context,
                                                         const HttpRequest& request, const std::stop_token& stop);
  ~HttpDownload() override;
  HttpDownload(const HttpDownload&) = delete;
  HttpDownload& operator=(const HttpDownload&) = delete;

  const HttpHead& head() const;
  // Fails when the body ends before its time, so a 0 means that all of it has come.
  Result<std::size_t> read(std::span<char> buffer) override;
  // Known once read() has returned 0.
  const HttpHeaders& trailers() const;

 private:
  std::unique_ptr<Impl> impl_;
};

// Speaks HTTP with libcurl, and is the only one here that does.
//
// Calls block their thread until the response is there, the deadline passes or the stop is requested, which ends them
// within milliseconds whatever they are doing (resolving, connecting, TLS, sending, receiving). Deadlines are read from
// the clock, waits are real time: with a ManualClock a deadline that it passes is noticed within a second.
//
// Connections are kept and reused by later calls of any thread. A connection that the server has closed meanwhile is
// replaced without the caller noticing when no byte of the request has been sent, or the method is GET, HEAD or OPTIONS
// and the body can be sent again; in all other cases that is an error, because the request may have taken effect.
// Nothing else is repeated, redirects are responses like others, and there are no cookies, no .netrc and no variables
// of the environment behind the caller's back.
//
// Thread-safe.
class HttpClient {
 public:
  // Reads and checks certificates and keys; does not connect.
  static Result<std::unique_ptr<HttpClient>> create(HttpClientOptions options, Clock& clock = system_clock());
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // The whole response in memory; a body over max_response_body is kTooLarge.
  HttpResult<HttpResponse> send(const HttpRequest& request, const std::stop_token& stop);
  // The response piece by piece. What is returned has an empty body.
  HttpResult<HttpResponse> stream(const HttpRequest& request, const HttpStreamHandlers& handlers,
                                  const std::stop_token& stop);
  // Returns when the head is there. A streaming body must outlive the download.
  HttpResult<std::unique_ptr<HttpDownload>> open(const HttpRequest& request, const std::stop_token& stop);

  // A connection to the URL's server, with nothing sent over it yet: for protocols that begin as HTTP and go on as
  // something else. Of the request its URL, its connect time-out and its deadline count, for connecting.
  HttpResult<std::unique_ptr<HttpTunnel>> connect(const HttpRequest& request, const std::stop_token& stop);

  // Closes those that no call uses; for after a change of the network.
  void close_idle_connections();

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::io
