#include "json/parse.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "json/json.h"
#include "json/text_place.h"

namespace landfall::json {
namespace {

// What stopped the reader, and after how many bytes.
struct Stop {
  Code code = Code::kInvalid;
  std::size_t offset = 0;
  std::string what;
};

// nlohmann's sentence without its prefix, and without the token it quotes: that could be a piece of a secret.
std::string reason_of(std::string_view message) {
  if (message.find("number overflow") != std::string_view::npos) return "the number is too large";
  message = message.substr(0, message.find("; last read: '"));
  constexpr std::string_view kDash = " - ";
  if (const auto dash = message.find(kDash); dash != std::string_view::npos) message.remove_prefix(dash + kDash.size());
  constexpr std::string_view kStringPrefix = "invalid string: ";
  if (message.starts_with(kStringPrefix)) message.remove_prefix(kStringPrefix.size());
  return std::string(message);
}

// Builds the document from nlohmann's events. The library's own builder has no bound on depth.
class Builder {
 public:
  explicit Builder(std::size_t max_depth) : max_depth_(max_depth) {}

  // The names and signatures are those that sax_parse calls.
  bool null() { return put(Json()); }
  bool boolean(bool value) { return put(Json(value)); }
  bool number_integer(std::int64_t value) { return put(Json(value)); }
  bool number_unsigned(std::uint64_t value) {
    // Go's unstructured knows int64 and float64 only.
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return put(Json(static_cast<double>(value)));
    }
    return put(Json(static_cast<std::int64_t>(value)));
  }
  bool number_float(double value, const std::string& /*text*/) { return put(Json(value)); }
  bool string(std::string& value) { return put(Json(std::move(value))); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // no JSON text has one
  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& key) {
    slot_ = &(*open_.back())[std::move(key)];
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::detail::exception& error) {
    // The position counts the byte in question, and one more at the end of the text.
    stop_ = {.code = Code::kInvalid, .offset = position == 0 ? 0 : position - 1, .what = reason_of(error.what())};
    return false;
  }

  bool too_deep() const { return too_deep_; }
  const Stop& stop() const { return stop_; }
  Json take() { return std::move(root_); }

 private:
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *slot_ = std::move(value);
    return slot_;
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (open_.size() >= max_depth_) {
      too_deep_ = true;
      return false;
    }
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::size_t max_depth_;
  Json root_;
  std::vector<Json*> open_;  // stable: only the innermost container grows
  Json* slot_ = nullptr;     // where the value of the last key goes
  bool too_deep_ = false;
  Stop stop_;
};

// Where the bracket is that opens one level too many. The text is known to be well formed up to there.
std::size_t offset_of_depth(std::string_view text, std::size_t max_depth) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) return i;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return text.size();
}

tl::unexpected<Error> fail_at(std::string_view text, const Stop& stop) {
  return fail(stop.code, place_in(text, stop.offset) + ": " + stop.what);
}

}  // namespace

Result<Json> parse(std::string_view text, const Limits& limits) {
  if (text.size() > limits.max_bytes) {
    return fail(Code::kTooLarge, "the JSON text has " + std::to_string(text.size()) + " bytes, more than the " +
                                     std::to_string(limits.max_bytes) + " that are allowed");
  }
  // nlohmann takes a NUL for the end of the text.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    return fail_at(text, {.offset = nul, .what = "a NUL byte is not allowed in JSON"});
  }
  // nlohmann skips a byte order mark, Go refuses it.
  if (text.starts_with("\xEF\xBB\xBF")) {
    return fail_at(text, {.offset = 0, .what = "a byte order mark is not allowed in JSON"});
  }
  Builder builder(limits.max_depth);
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
  if (builder.too_deep()) {
    return fail_at(text, {.code = Code::kTooLarge,
                          .offset = offset_of_depth(text, limits.max_depth),
                          .what = "nested more than " + std::to_string(limits.max_depth) + " levels deep"});
  }
  return fail_at(text, builder.stop());
}

std::size_t depth_of(const Json& document) {
  std::size_t deepest = 0;
  std::vector<std::pair<const Json*, std::size_t>> todo{{&document, 0}};
  while (!todo.empty()) {
    const auto [value, above] = todo.back();
    todo.pop_back();
    if (!value->is_structured()) continue;
    const std::size_t depth = above + 1;
    deepest = std::max(deepest, depth);
    for (const Json& child : *value) {
      if (child.is_structured()) todo.emplace_back(&child, depth);
    }
  }
  return deepest;
}

}  // namespace landfall::json
