#include "sandbox_suite/differential.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_suite/normalise.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kShown = 1500;

std::string shown(const Json& value) {
  std::string text = json::dump(value);
  if (text.size() > kShown) text.resize(kShown);
  return text;
}

class Comparison {
 public:
  Comparison(std::string request, std::vector<Difference>& found) : request_(std::move(request)), found_(found) {}

  void values(const std::string& place, const Json& real, const Json& sandbox) {
    if (real == sandbox) return;
    if (real.is_object() && sandbox.is_object()) return objects(place, real, sandbox);
    if (real.is_array() && sandbox.is_array() && real.size() == sandbox.size()) {
      for (std::size_t i = 0; i < real.size(); ++i) values(fmt::format("{}[{}]", place, i), real[i], sandbox[i]);
      return;
    }
    add(place, shown(real), shown(sandbox));
  }

 private:
  void objects(const std::string& place, const Json& real, const Json& sandbox) {
    for (const auto& [key, value] : real.items()) {
      const std::string where = place + "." + key;
      const auto other = sandbox.find(key);
      if (other == sandbox.end()) {
        add(where, shown(value), "");
      } else {
        values(where, value, *other);
      }
    }
    for (const auto& [key, value] : sandbox.items()) {
      if (!real.contains(key)) add(place + "." + key, "", shown(value));
    }
  }

  void add(const std::string& place, std::string real, std::string sandbox) {
    found_.push_back({.request = request_, .place = place, .real = std::move(real), .sandbox = std::move(sandbox)});
  }

  const std::string request_;
  std::vector<Difference>& found_;
};

// * stands for any run of characters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_text = 0;
  std::size_t star = std::string_view::npos;
  std::size_t after_star = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      after_star = in_text;
    } else if (at < pattern.size() && pattern[at] == text[in_text]) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++after_star;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(at), pattern.end(), [](char c) { return c == '*'; });
}

}  // namespace

std::vector<Difference> compare(const std::string& file, const std::vector<Exchange>& real, const std::string& real_run,
                                const std::vector<Exchange>& sandbox, const std::string& sandbox_run) {
  std::vector<Difference> found;
  for (std::size_t i = 0; i < std::min(real.size(), sandbox.size()); ++i) {
    const Exchange& one = real[i];
    const Exchange& other = sandbox[i];
    Comparison comparison(file + ": " + one.what, found);
    comparison.values("status", one.status, other.status);
    comparison.values("header.Content-Type", one.content_type, other.content_type);
    comparison.values("header.Warning", one.warnings, other.warnings);
    comparison.values("body", normalised(one.body, {.sent = one.sent, .run = real_run}),
                      normalised(other.body, {.sent = other.sent, .run = sandbox_run}));
  }
  return found;
}

Result<AllowedDifferences> AllowedDifferences::read(std::string_view text) {
  AllowedDifferences list;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> parts = split(line, '|');
    if (parts.size() != 3 || trim(parts[2]).empty()) {
      return fail(Code::kInvalid, fmt::format("line {}: expected 'request | place | reason'", number));
    }
    list.entries_.push_back({.request = std::string(trim(parts[0])), .place = std::string(trim(parts[1]))});
  }
  return list;
}

bool AllowedDifferences::covers(const Difference& difference) {
  bool covered = false;
  for (Entry& entry : entries_) {
    if (matches(entry.request, difference.request) && matches(entry.place, difference.place)) {
      entry.used = covered = true;
    }
  }
  return covered;
}

std::vector<std::string> AllowedDifferences::unused() const {
  std::vector<std::string> result;
  for (const Entry& entry : entries_) {
    if (!entry.used) result.push_back(entry.request + " | " + entry.place);
  }
  return result;
}

std::string to_string(const Difference& difference) {
  const auto value = [](const std::string& text) { return text.empty() ? std::string("(nothing)") : text; };
  return fmt::format("{}\n  at {}\n    real:    {}\n    sandbox: {}\n", difference.request, difference.place,
                     value(difference.real), value(difference.sandbox));
}

}  // namespace landfall::sandbox
