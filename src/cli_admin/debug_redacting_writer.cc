#include "base/strings.h"
#include "cli_admin/debug_redaction.h"

namespace landfall::cli {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20U;
constexpr std::string_view kKeyBegins = "PRIVATE KEY-----";
constexpr std::string_view kAnnotations = "Annotations:";

}  // namespace

Status RedactingWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() < kLongestLine) line_ += part.substr(0, kLongestLine - line_.size());
    if (end == std::string_view::npos) return {};
    TRY("", put_line());
    bytes.remove_prefix(end + 1);
  }
  return {};
}

std::string RedactingWriter::clean_line() {
  const bool begins = line_.starts_with(kAnnotations);
  is_in_annotations_ = begins || (is_in_annotations_ && (line_.starts_with(" ") || line_.starts_with("\t")));
  if (!is_in_annotations_) return redaction_.line(line_);
  const std::string_view line(line_);
  const std::size_t start = line.find_first_not_of(" \t", begins ? kAnnotations.size() : 0);
  if (start == std::string_view::npos || line.substr(start) == "<none>") return line_;
  return std::string(line.substr(0, start)) + redaction_.annotation(line.substr(start));
}

Status RedactingWriter::put_line() {
  const bool begins = contains(line_, "-----BEGIN ") && contains(line_, kKeyBegins);
  const bool ends = contains(line_, "-----END ") && contains(line_, kKeyBegins);
  const bool is_shown = !is_in_key_ || ends;
  std::string shown;
  if (is_shown) shown = is_in_key_ ? std::string(kRemoved) : clean_line();
  is_in_key_ = (is_in_key_ || begins) && !ends;
  line_.clear();
  return is_shown ? to_.write(shown + "\n") : Status();
}

Status RedactingWriter::close() { return line_.empty() ? Status() : put_line(); }

}  // namespace landfall::cli
