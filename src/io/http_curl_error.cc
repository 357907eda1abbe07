#include "io/http_curl_error.h"

#include <curl/curl.h>
#include <openssl/x509_vfy.h>

#include <system_error>

#include "base/go_duration.h"
#include "base/strings.h"

namespace landfall::io {
namespace {

long ask(void* easy, CURLINFO what) {
  long value = 0;
  return curl_easy_getinfo(easy, what, &value) == CURLE_OK ? value : 0;
}

std::string with_detail(std::string text, std::string_view detail) {
  return detail.empty() ? text : text + ": " + std::string(trim(detail));
}

// A server tells by a TLS alert that it does not like our certificate, or that it wants one.
bool is_certificate_alert(std::string_view detail) {
  if (!contains(detail, "alert")) {
    return false;
  }
  for (const std::string_view word : {"certificate", "unknown ca", "access denied"}) {
    if (contains(detail, word)) {
      return true;
    }
  }
  return false;
}

Error explain_verification(const HttpFault& fault) {
  const long of_server = ask(fault.easy, CURLINFO_SSL_VERIFYRESULT);
  const long of_proxy = ask(fault.easy, CURLINFO_PROXY_SSL_VERIFYRESULT);
  const bool is_proxy = of_server == X509_V_OK && of_proxy != X509_V_OK;
  const long reason = is_proxy ? of_proxy : of_server;
  const std::string whose = "the certificate of " + (is_proxy ? "the proxy" : quote(fault.host));
  const auto refuse = [&](std::string_view why) {
    return Error(Code::kUnauthenticated, whose + " " + std::string(why));
  };
  switch (reason) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return refuse("has expired");
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return refuse("is not valid yet; is the clock of this machine right?");
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return refuse(fault.has_authorities
                        ? "is signed by an unknown authority"
                        : "cannot be checked: this system has no certificate authorities, and none were given");
    case X509_V_ERR_INVALID_PURPOSE:
      return refuse("is not meant for a server");
    case X509_V_ERR_CERT_REVOKED:
      return refuse("was revoked");
    default:
      // The name is checked last, and by libcurl itself.
      return contains(fault.detail, "match") ? refuse("is for another host")
                                             : refuse(with_detail("cannot be trusted", fault.detail));
  }
}

Error explain_handshake(const HttpFault& fault) {
  if (is_certificate_alert(fault.detail)) {
    return {Code::kUnauthenticated,
            with_detail("the server wants a client certificate, or does not accept ours", fault.detail)};
  }
  if (contains(fault.detail, "wrong version number")) {
    return {Code::kUnavailable, "TLS handshake: the server does not speak TLS on this port"};
  }
  return {Code::kUnavailable, with_detail("TLS handshake", fault.detail)};
}

Error explain_connect(const HttpFault& fault) {
  const auto number = static_cast<int>(ask(fault.easy, CURLINFO_OS_ERRNO));
  return {Code::kUnavailable, number == 0 ? with_detail("cannot connect", fault.detail)
                                          : "cannot connect: " + std::generic_category().message(number)};
}

Error explain_broken(const HttpFault& fault) {
  const long connect_status = ask(fault.easy, CURLINFO_HTTP_CONNECTCODE);
  if (connect_status >= 300) {
    return {connect_status == 407 ? Code::kUnauthenticated : Code::kUnavailable,
            "the proxy answered CONNECT with status " + std::to_string(connect_status)};
  }
  if (is_certificate_alert(fault.detail)) {
    return explain_handshake(fault);
  }
  if (contains(fault.detail, "Too large response headers")) {
    return {Code::kTooLarge, "the response headers are too large"};
  }
  if (contains(fault.detail, "chunk")) {
    return {Code::kDataLoss, "the response is malformed: its chunked encoding is broken"};
  }
  return {Code::kUnavailable, with_detail("the connection broke", fault.detail)};
}

}  // namespace

Error explain(const HttpFault& fault) {
  switch (fault.code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {Code::kUnavailable, "cannot resolve the name of the proxy"};
    case CURLE_COULDNT_RESOLVE_HOST:
      return {Code::kUnavailable, "cannot resolve the host name"};
    case CURLE_COULDNT_CONNECT:
      return explain_connect(fault);
    case CURLE_OPERATION_TIMEDOUT:  // the only time-out that we leave to libcurl
      return {Code::kUnavailable, "no connection within " + format_go_duration(fault.connect_timeout)};
    case CURLE_PROXY:
      return {Code::kUnavailable, with_detail("the proxy does not let us through", fault.detail)};
    case CURLE_PEER_FAILED_VERIFICATION:
      return is_certificate_alert(fault.detail) ? explain_handshake(fault) : explain_verification(fault);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_CERTPROBLEM:
      return explain_handshake(fault);
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return explain_broken(fault);
    case CURLE_GOT_NOTHING:
      return {Code::kUnavailable, "the server closed the connection without an answer"};
    case CURLE_PARTIAL_FILE:
      return {Code::kUnavailable, "the server closed the connection in the middle of the response"};
    case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9, that is: anything
    case CURLE_WEIRD_SERVER_REPLY:
      return {Code::kDataLoss, with_detail("the response is malformed", fault.detail)};
    case CURLE_BAD_CONTENT_ENCODING:
      return {Code::kDataLoss, "the response is malformed: its compression is damaged or unknown"};
    case CURLE_OUT_OF_MEMORY:
      // That is also what libcurl calls a header line past its own limit of 100 KB.
      return fault.in_headers ? Error(Code::kTooLarge, "a response header is too large")
                              : Error(Code::kInternal, "libcurl is out of memory");
    default:
      return {Code::kInternal, std::string("libcurl: ") + curl_easy_strerror(static_cast<CURLcode>(fault.code))};
  }
}

}  // namespace landfall::io
