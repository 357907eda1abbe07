#pragma once

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "http/headers.h"

// For the module's own tests: a client that does exactly what it is told, byte by byte, and blocks meanwhile. It throws
// when something does not come within a minute.

namespace landfall::http::testing {

struct ClientTls {
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
};

struct Answer {
  int status = 0;
  std::string phrase;
  Headers headers;
  std::string body;
  bool truncated = false;  // the connection ended before the message
};

class TestClient {
 public:
  explicit TestClient(std::uint16_t port, int receive_buffer = 0) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{60, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (receive_buffer > 0) {
      ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      ::close(descriptor_);
      throw std::runtime_error("cannot connect");
    }
  }
  TestClient(TestClient&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        context_(std::move(other.context_)),
        session_(std::move(other.session_)),
        received_(std::move(other.received_)) {}
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;
  TestClient& operator=(TestClient&&) = delete;
  ~TestClient() { close(); }

  // False when the handshake fails on our side.
  bool start_tls(const ClientTls& tls) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    add_ca(tls.ca_pem);
    if (!tls.certificate_pem.empty()) use_certificate(tls);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    session_.reset(SSL_new(context_.get()));
    static constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(session_.get(), reinterpret_cast<const unsigned char*>(kProtocols.data()),
                        static_cast<unsigned int>(kProtocols.size()));
    SSL_set_fd(session_.get(), descriptor_);
    return SSL_connect(session_.get()) == 1;
  }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned int length = 0;
    SSL_get0_alpn_selected(session_.get(), &name, &length);
    return {reinterpret_cast<const char*>(name), length};
  }

  // False when the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const long sent = session_ ? SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                 : ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads until the text has come, and returns everything up to its end; nothing when the connection ends first.
  std::optional<std::string> read_until(std::string_view text) {
    std::size_t at = received_.find(text);
    while (at == std::string::npos) {
      if (!receive()) return std::nullopt;
      at = received_.find(text);
    }
    return take(at + text.size());
  }
  // Everything until the server closes.
  std::string read_to_end() {
    while (receive()) {
    }
    return take(received_.size());
  }

  // One message; for HEAD without the body that its head announces.
  Answer read_answer(bool head_only = false) {
    Answer answer;
    const auto head = read_until("\r\n\r\n");
    if (!head) {
      answer.truncated = true;
      return answer;
    }
    parse_head(*head, answer);
    if (head_only || answer.status < 200 || answer.status == 204 || answer.status == 304) return answer;
    if (answer.headers.has_word("Transfer-Encoding", "chunked")) {
      read_chunks(answer);
    } else if (const auto length = answer.headers.get("Content-Length")) {
      const std::size_t wanted = std::stoul(std::string(*length));
      while (received_.size() < wanted && receive()) {
      }
      answer.truncated = received_.size() < wanted;
      answer.body = take(std::min(wanted, received_.size()));
    } else {
      answer.body = read_to_end();
    }
    return answer;
  }
  Answer ask(std::string_view bytes) {
    send(bytes);
    return read_answer();
  }
  // The data of the next chunk; nothing at the end.
  std::optional<std::string> read_chunk() {
    const auto line = read_until("\r\n");
    if (!line) return std::nullopt;
    const std::size_t size = std::stoul(*line, nullptr, 16);
    while (received_.size() < size + 2) {
      if (!receive()) return std::nullopt;
    }
    std::string data = take(size);
    take(2);
    if (size == 0) return std::nullopt;
    return data;
  }

  // True when there is something to read, or the end, within the time.
  bool readable(std::chrono::milliseconds within) const {
    if (!received_.empty()) return true;
    pollfd wanted{descriptor_, POLLIN, 0};
    return ::poll(&wanted, 1, static_cast<int>(within.count())) > 0;
  }
  // True when the server has closed and nothing more came.
  bool at_end() { return received_.empty() && !receive(); }

  void close_sending() { ::shutdown(descriptor_, SHUT_WR); }
  void close() {
    session_.reset();
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  // Closes with RST.
  void reset() {
    const linger now{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close();
  }

 private:
  struct Freer {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* session) const { SSL_free(session); }
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };

  static std::unique_ptr<BIO, Freer> open_pem(const std::string& pem) {
    return std::unique_ptr<BIO, Freer>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  }
  void add_ca(const std::string& pem) {
    const auto bio = open_pem(pem);
    const std::unique_ptr<X509, Freer> ca(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), ca.get());
  }
  void use_certificate(const ClientTls& tls) {
    const auto certificate_bio = open_pem(tls.certificate_pem);
    const std::unique_ptr<X509, Freer> own(PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context_.get(), own.get());
    const auto key_bio = open_pem(tls.key_pem);
    const std::unique_ptr<EVP_PKEY, Freer> key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_PrivateKey(context_.get(), key.get());
  }

  bool receive() {
    char buffer[16384];
    const long got =
        session_ ? SSL_read(session_.get(), buffer, sizeof(buffer)) : ::recv(descriptor_, buffer, sizeof(buffer), 0);
    if (got <= 0) {
      if (got < 0 && !session_ && errno == EAGAIN) throw std::runtime_error("the server says nothing for a minute");
      return false;
    }
    received_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
  std::string take(std::size_t bytes) {
    std::string taken = received_.substr(0, bytes);
    received_.erase(0, bytes);
    return taken;
  }
  static void parse_head(std::string_view head, Answer& answer) {
    std::size_t end = head.find("\r\n");
    answer.status = std::stoi(std::string(head.substr(9, 3)));
    answer.phrase = head.substr(13, end - 13);
    head.remove_prefix(end + 2);
    while ((end = head.find("\r\n")) != 0) {
      const std::string_view line = head.substr(0, end);
      const std::size_t colon = line.find(": ");
      answer.headers.add(std::string(line.substr(0, colon)), std::string(line.substr(colon + 2)));
      head.remove_prefix(end + 2);
    }
  }
  void read_chunks(Answer& answer) {
    while (const auto line = read_until("\r\n")) {
      const std::size_t size = std::stoul(*line, nullptr, 16);
      while (received_.size() < size + 2) {
        if (!receive()) {
          answer.truncated = true;
          return;
        }
      }
      answer.body += take(size);
      take(2);
      if (size == 0) return;
    }
    answer.truncated = true;
  }

  int descriptor_;
  std::unique_ptr<SSL_CTX, Freer> context_;
  std::unique_ptr<SSL, Freer> session_;
  std::string received_;
};

}  // namespace landfall::http::testing
