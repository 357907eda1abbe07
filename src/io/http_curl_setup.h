#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/http_message.h"
#include "io/url.h"

namespace landfall::io {

struct HttpClientOptions;
class HttpTransfer;

// Tells libcurl what to do, and keeps alive what libcurl only borrows. It belongs to one handle and one origin, so the
// client's own options, the way there and TLS are set once; what a request brings is set anew for each. Part of
// HttpClient.
class HttpCurlSetup {
 public:
  // kInternal when libcurl refuses an option. `transfer` receives the callbacks; the request is borrowed until its end.
  Status apply(void* easy, const HttpClientOptions& options, const HttpRequest& request, const Url& url,
               HttpTransfer& transfer);

  // After apply(): connect only, through a tunnel of the proxy if there is one, and send nothing.
  Status connect_only(void* easy);

  // What libcurl says about an error; may be empty.
  std::string_view detail() const { return error_.data(); }

 private:
  struct ListRelease {
    void operator()(void* list) const;
  };
  class List {
   public:
    void add(const std::string& line);
    void* get() const { return head_.get(); }
    bool failed() const { return failed_; }

   private:
    std::unique_ptr<void, ListRelease> head_;
    bool failed_ = false;
  };

  Status refusal() const;
  void set_once(void* easy, const HttpClientOptions& options, const Url& url);
  void set_proxy(void* easy, const Url& proxy);
  void set_tls(void* easy, const HttpClientOptions& options, const Url& url);
  void set_request(void* easy, const HttpRequest& request, const Url& url);
  void set_headers(void* easy, const HttpRequest& request, const Url& url);
  void set_body(void* easy, const HttpRequest& request);
  template <class Value>
  void set(void* easy, int option, Value value);

  std::array<char, 256> error_{};  // CURL_ERROR_SIZE
  List headers_;
  List connect_to_;
  std::string other_host_;  // to put into the URL, where TLS wants another name than the one we connect to
  bool is_set_up_ = false;
  int first_error_ = 0;
};

}  // namespace landfall::io
