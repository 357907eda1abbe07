#include "http/head_writer.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace landfall::http {
namespace {

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

// These say where the message ends and whether the connection goes on: the server alone knows.
bool is_framing(std::string_view name) {
  return equals_ignoring_case(name, "Content-Length") || equals_ignoring_case(name, "Transfer-Encoding") ||
         equals_ignoring_case(name, "Connection") || equals_ignoring_case(name, "Keep-Alive") ||
         equals_ignoring_case(name, "Trailer");
}

Status append_fields(std::string& out, const Headers& headers) {
  for (const Headers::Field& field : headers) {
    if (!is_token(field.name))
      return fail(Code::kInvalid, fmt::format("header name \"{}\" is not a token", field.name));
    if (!is_field_value(field.value)) {
      return fail(Code::kInvalid, fmt::format("the value of header {} has a control character", field.name));
    }
    if (is_framing(field.name)) continue;
    out.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  return {};
}

void append_connection(std::string& out, const HeadContext& context) {
  if (!context.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (context.version_minor == 0) {
    out.append("Connection: keep-alive\r\n");
  }
}

}  // namespace

Framing framing_of(const ResponseHead& head, int version_minor) {
  if (has_no_body(head.status)) return Framing::kNone;
  if (head.content_length) return Framing::kLength;
  return version_minor == 0 ? Framing::kUntilClose : Framing::kChunked;
}

Result<std::string> write_head(const ResponseHead& head, Framing framing, const HeadContext& context) {
  if (head.status < 200 || head.status > 599) {
    return fail(Code::kInvalid, fmt::format("{} is not the status of an answer", head.status));
  }
  std::string out;
  out.reserve(256);
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", head.status, reason_phrase(head.status));
  if (!head.headers.contains("Date")) out.append("Date: ").append(context.date).append("\r\n");
  TRY("", append_fields(out, head.headers));
  if (framing == Framing::kChunked) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (framing == Framing::kLength) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", head.content_length.value_or(0));
  }
  append_connection(out, context);
  out.append("\r\n");
  return out;
}

std::string http_date(WallTime time) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays.at(std::chrono::weekday(day).c_encoding()),
                     static_cast<unsigned>(date.day()), kMonths.at(static_cast<unsigned>(date.month()) - 1),
                     static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

}  // namespace landfall::http
