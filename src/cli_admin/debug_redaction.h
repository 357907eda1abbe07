#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/stream.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// Takes secrets out of what goes into a debug bundle: better one word too many than one password. What it removes
// becomes kRemoved. It knows secrets by the names that stand before them (password, token, secret key …), by where they
// stand (Authorization, queries and users of URLs, DownloadRequests) and by their looks (access keys, JSON web tokens,
// private keys). Certificates are no secrets.
class Redaction {
 public:
  static constexpr std::string_view kRemoved = "<removed>";

  Redaction();
  ~Redaction();
  Redaction(const Redaction&) = delete;
  Redaction& operator=(const Redaction&) = delete;

  // One text without line breaks, or a few lines.
  std::string text(std::string_view text) const;
  // A Kubernetes object. What kubectl has applied goes altogether, and so do managedFields, which nobody reads.
  void object(json::Json& object) const;
  // Whether the name of a setting or a variable says that its value is a secret.
  bool is_secret_name(std::string_view name) const;

 private:
  bool is_secret_flag(std::string_view word) const;
  void value(json::Json& value, bool is_secret) const;
  void members(json::Json& object) const;

  struct Patterns;
  std::unique_ptr<const Patterns> patterns_;
};

// Writes a log on, line by line, without its secrets. A private key may go over many lines; a line over a MiB is cut.
class RedactingWriter final : public io::Writer {
 public:
  RedactingWriter(const Redaction& redaction, io::Writer& to) : redaction_(redaction), to_(to) {}

  Status write(std::string_view bytes) override;
  // Does not close the other one.
  Status close() override;

 private:
  Status put_line();

  const Redaction& redaction_;
  io::Writer& to_;
  std::string line_;
  bool is_in_key_ = false;
};

}  // namespace landfall::cli
