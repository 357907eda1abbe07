#include "operation/journal_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/quote.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::operation {
namespace {

using json::Json;

constexpr std::size_t kSequenceDigits = 10;
constexpr std::size_t kWriterDigits = 16;
// Some million lines.
constexpr std::size_t kMaxText = std::size_t{512} << 20U;
constexpr std::size_t kMaxHeader = 256;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

struct Header {
  JournalWriter writer;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

std::optional<std::uint64_t> number_at(const Json& header, std::size_t index) {
  const auto* number = header[index].get_ptr<const Json::number_integer_t*>();
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

Result<Header> parse_header(std::string_view line) {
  const auto damaged = [] { return fail(Code::kDataLoss, "expected the beginning of a section"); };
  if (line.size() > kMaxHeader) return damaged();
  const auto header = json::parse(line);
  if (!header || !header->is_array() || header->size() != 6 || (*header)[0] != "journal") return damaged();
  if ((*header)[1] != 1) return fail(Code::kUnsupported, "a newer release of Landfall has written it");
  const auto start = number_at(*header, 2);
  const auto* writer = (*header)[3].get_ptr<const std::string*>();
  const auto first = number_at(*header, 4);
  const auto count = number_at(*header, 5);
  if (!start || writer == nullptr || !first || !count || *count == 0) return damaged();
  return Header{.writer = {*start, *writer}, .first = *first, .count = *count};
}

// Takes a line off the front of a text; nothing when it does not end.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// The text of so many lines, taken off the front.
std::optional<std::string_view> take_lines(std::string_view& text, std::uint64_t count) {
  const std::string_view all = text;
  for (; count > 0; --count) {
    if (!take_line(text)) return std::nullopt;
  }
  return all.substr(0, all.size() - text.size());
}

}  // namespace

std::string to_string(const RecordName& name) {
  return fmt::format("{:0{}}-{}", name.sequence, kSequenceDigits, name.writer);
}

std::optional<RecordName> parse_record_name(std::string_view text) {
  if (text.size() != kSequenceDigits + 1 + kWriterDigits || text[kSequenceDigits] != '-') return std::nullopt;
  const std::string_view digits = text.substr(0, kSequenceDigits);
  const std::string_view writer = text.substr(kSequenceDigits + 1);
  RecordName name{.writer = std::string(writer)};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), name.sequence);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::ranges::all_of(writer, is_hex)) {
    return std::nullopt;
  }
  return name;
}

std::string encode_section(const JournalWriter& writer, std::uint64_t first, const std::vector<std::string>& lines) {
  io::StringWriter out;
  io::GzipWriter gzip(out, {.workers = 1});
  // Writing to memory does not fail.
  (void)gzip.write(fmt::format("[\"journal\",1,{},\"{}\",{},{}]\n", writer.start, writer.id, first, lines.size()));
  for (const std::string& line : lines) {
    (void)gzip.write(line);
    (void)gzip.write("\n");
  }
  (void)gzip.close();
  return out.take();
}

Result<bool> JournalReplay::add(std::string_view record) {
  io::StringReader bytes(record);
  io::GzipReader gzip(bytes, {.output = kMaxText, .ratio = 0});
  TRY_ASSIGN(const std::string text, "", io::read_all(gzip, kMaxText));
  bool is_new = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t offset = text.size() - rest.size();
    const auto line = take_line(rest);
    if (!line) return fail(Code::kDataLoss, fmt::format("byte {}: a line without an end", offset));
    TRY_ASSIGN(const Header header, fmt::format("byte {}", offset), parse_header(*line));
    const auto lines = take_lines(rest, header.count);
    if (!lines) {
      return fail(Code::kDataLoss,
                  fmt::format("byte {}: there are less lines than the {} it should have", offset, header.count));
    }
    auto& known = sections_[header.writer];
    if (known.contains(header.first)) continue;
    known.emplace(header.first, Section{.count = header.count, .text = std::string(*lines)});
    is_new = true;
  }
  return is_new;
}

Result<std::vector<std::string>> JournalReplay::take() {
  std::vector<std::string> lines;
  for (auto& [writer, sections] : sections_) {
    std::uint64_t next = 0;
    for (auto& [first, section] : sections) {
      if (first != next) {
        return fail(Code::kDataLoss, fmt::format("what the process {} wrote is not whole: expected line {}, found {}",
                                                 quote(writer.id), next, first));
      }
      next += section.count;
      const std::string text = std::move(section.text);
      std::string_view rest = text;
      while (const auto line = take_line(rest)) lines.emplace_back(*line);
    }
  }
  sections_.clear();
  return lines;
}

}  // namespace landfall::operation
