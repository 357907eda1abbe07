#include "s3/ini.h"

#include <cstddef>

#include "base/strings.h"

namespace landfall::s3 {
namespace {

tl::unexpected<Error> at_line(std::size_t line, const std::string& what) {
  return fail(Code::kInvalid, "line " + std::to_string(line) + ": " + what);
}

bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with(';'); }

std::string_view without_comment(std::string_view value) {
  for (std::size_t i = 1; i < value.size(); ++i) {
    const bool after_blank = value[i - 1] == ' ' || value[i - 1] == '\t';
    if (after_blank && (value[i] == '#' || value[i] == ';')) {
      return trim(value.substr(0, i));
    }
  }
  return trim(value);
}

// "profile x" and "x" are the same profile; a name with blanks is written in quotes.
std::string section_name(std::string_view header) {
  header = trim(header);
  const auto profile = strip_prefix(header, "profile");
  if (profile && (profile->starts_with(' ') || profile->starts_with('\t'))) {
    header = trim(*profile);
  }
  if (header.size() >= 2 && header.front() == '"' && header.back() == '"') {
    header = header.substr(1, header.size() - 2);
  }
  return std::string(header);
}

class IniReader {
 public:
  Status read(std::string_view line, std::size_t number) {
    const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
    const std::string_view content = trim(line);
    if (content.empty() || is_comment(content) || (is_indented && in_nested_)) {
      return {};
    }
    in_nested_ = false;
    if (content.starts_with('[')) {
      return read_header(content, number);
    }
    return read_property(content, number);
  }

  IniFile take() { return std::move(file_); }

 private:
  Status read_header(std::string_view content, std::size_t number) {
    const std::size_t end = content.find(']');
    if (end == std::string_view::npos) {
      return at_line(number, "the section has no closing \"]\"");
    }
    const std::string name = section_name(content.substr(1, end - 1));
    if (name.empty()) {
      return at_line(number, "the section has no name");
    }
    section_ = &file_[name];
    return {};
  }

  Status read_property(std::string_view content, std::size_t number) {
    const auto parts = cut(content, '=');
    if (!parts || trim(parts->first).empty()) {
      return at_line(number, "expected a [section], key = value or a comment");
    }
    if (section_ == nullptr) {
      return at_line(number, "there is no [section] above it, such as [default]");
    }
    const std::string value(without_comment(parts->second));
    in_nested_ = value.empty();
    (*section_)[to_lower(trim(parts->first))] = value;
    return {};
  }

  IniFile file_;
  std::map<std::string, std::string>* section_ = nullptr;
  bool in_nested_ = false;
};

}  // namespace

Result<IniFile> parse_ini(std::string_view text) {
  text = strip_prefix(text, "\xEF\xBB\xBF").value_or(text);
  IniReader reader;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    TRY("", reader.read(line, ++number));
  }
  return reader.take();
}

}  // namespace landfall::s3
