#include "cli/flag_values.h"

namespace landfall::cli {
namespace {

// The fields of one CSV record (RFC 4180; a quote inside quotes is doubled).
Result<std::vector<std::string>> csv_record(std::string_view text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) {
    return fail(Code::kInvalid, "a quote is not closed in " + std::string(text));
  }
  return fields;
}

}  // namespace

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return parts;
}

Result<std::vector<std::string>> parse_record(std::string_view text) {
  if (text.empty()) return std::vector<std::string>();
  return csv_record(text);
}

Result<std::map<std::string, std::string>> parse_map(std::string_view text, char separator) {
  TRY_ASSIGN(const auto fields, "", csv_record(text));
  std::map<std::string, std::string> map;
  for (const std::string& field : fields) {
    const std::size_t at = field.find(separator);
    if (at == std::string::npos) {
      return fail(Code::kInvalid, "\"" + field + "\" is not of the form key" + separator + "value");
    }
    map[field.substr(0, at)] = field.substr(at + 1);
  }
  return map;
}

Result<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) {
      return false;
    }
  }
  return fail(Code::kInvalid, "\"" + std::string(text) + "\" is neither true nor false");
}

}  // namespace landfall::cli
