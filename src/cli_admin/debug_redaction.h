#pragma once

#include <string>
#include <string_view>

#include "cli_admin/debug_text.h"
#include "io/stream.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// Takes secrets out of what goes into a debug bundle. In objects, places where anybody may put anything are emptied but
// for what is known: variables, settings of locations, commands and their arguments, annotations. Text that is JSON is
// taken apart and handled the same way; all other text passes SecretText. What is removed becomes kRemoved. Names of
// objects, labels and certificates are no secrets. Thread-safe.
class Redaction {
 public:
  // Free text: one line or a few.
  std::string text(std::string_view text) const { return secrets_.clean(text); }
  // A line of a log, which may be JSON.
  std::string line(std::string_view line) const;
  // A Kubernetes object. What kubectl has applied goes altogether, and so do managedFields, which nobody reads.
  void object(json::Json& object) const;
  // "key=value" of an annotation, as `describe` shows it.
  std::string annotation(std::string_view shown) const;

 private:
  // What is known of a value from above it.
  struct Place {
    std::string_view field;  // the name that it stands under
    bool is_secret = false;  // whatever is in it
    int depth = 0;           // how many texts of JSON it is in
  };
  void value(json::Json& value, const Place& place) const;
  void members(json::Json& object, const Place& place) const;
  void member(std::string_view key, json::Json& member, const json::Json& name, const Place& place) const;
  bool structure(std::string_view key, json::Json& member, int depth) const;
  void annotations(json::Json& notes, int depth) const;
  void settings(json::Json& config, int depth) const;
  void command(json::Json& words, bool begins_with_program) const;
  std::string word(std::string_view word) const;
  std::string string(std::string_view text, int depth) const;

  const SecretText secrets_;
};

// Writes text on, line by line, without its secrets. A private key may go over many lines, and so may the annotations
// that `describe` prints; a line over a MiB is cut.
class RedactingWriter final : public io::Writer {
 public:
  RedactingWriter(const Redaction& redaction, io::Writer& to) : redaction_(redaction), to_(to) {}

  Status write(std::string_view bytes) override;
  // Does not close the other one.
  Status close() override;

 private:
  Status put_line();
  std::string clean_line();

  const Redaction& redaction_;
  io::Writer& to_;
  std::string line_;
  bool is_in_key_ = false;
  bool is_in_annotations_ = false;
};

}  // namespace landfall::cli
