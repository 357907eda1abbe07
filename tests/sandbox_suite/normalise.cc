#include "sandbox_suite/normalise.h"

#include <algorithm>
#include <array>
#include <regex>
#include <tuple>
#include <utility>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// The place of a value: the key it is under (that of the list for an element) and the object that has the key.
struct Place {
  std::string_view key;
  const Json* parent = nullptr;
};

using Regex = std::regex;  // allow-call: our own patterns over answers of bounded size, in a test

class Normaliser {
 public:
  explicit Normaliser(const AnswerContext& context) : context_(context) {
    static const Regex pattern(R"re("generateName": ?"([^"]+)")re");
    if (std::smatch match; std::regex_search(context.sent, match, pattern)) generated_ = match.str(1);
  }

  Json value(const Json& from, const Place& place) const {
    if (from.is_object()) return object(from);
    if (from.is_array()) return array(from, place);
    if (from.is_string()) return text(from.get_ref<const std::string&>(), place);
    if (from.is_number_integer() && place.key == "nodePort") {
      return was_sent(std::to_string(from.get<std::int64_t>())) ? from : Json("<port>");
    }
    return from;
  }

 private:
  bool was_sent(const std::string& word) const { return context_.sent.find(word) != std::string::npos; }

  Json object(const Json& from) const {
    Json result = Json::object();
    for (const auto& [key, child] : from.items()) {
      result[without_run(key)] = value(child, {.key = key, .parent = &from});
    }
    return result;
  }

  Json array(const Json& from, const Place& place) const {
    Json result = Json::array();
    for (const Json& child : from) result.push_back(value(child, place));
    if (place.key == "resources" && !result.empty() && result[0].is_object()) {
      // Of a group of custom resources; the lists of built-in groups have these in the order of their names.
      std::stable_sort(result.begin(), result.end(), [](const Json& a, const Json& b) {
        return json::string_or(a, {"name"}, "") < json::string_or(b, {"name"}, "");
      });
    }
    if (place.key == "managedFields") {
      // Sorted by time, which depends on where a second ends.
      std::stable_sort(result.begin(), result.end(),
                       [](const Json& a, const Json& b) { return key_of(a) < key_of(b); });
    }
    return result;
  }

  static std::tuple<std::string, std::string, std::string> key_of(const Json& entry) {
    return {json::string_or(entry, {"manager"}, ""), json::string_or(entry, {"operation"}, ""),
            json::string_or(entry, {"subresource"}, "")};
  }

  Json text(const std::string& from, const Place& place) const {
    if (place.key == "resourceVersion" && !from.empty() && from != "0") return "<version>";
    if (place.key == "continue" && !from.empty()) return "<continue>";
    if (place.key == "token" && std::count(from.begin(), from.end(), '.') == 2) return "<token>";
    std::string result = from;
    for (const auto& [pattern, name] : patterns()) result = replaced(result, pattern, name);
    static const Regex versions(R"re((resourceVersion\\*"?: ?\\*"|in record \(|, current: )[0-9]+)re");
    result = std::regex_replace(result, versions, "$1<version>");
    if (!generated_.empty()) result = without_suffix(std::move(result));
    if (place.key == "cells") {
      static const Regex ages("^([0-9]+[smh])+$");
      static const Regex ports(":3[0-9]{4}/");
      result = std::regex_replace(std::regex_replace(result, ages, "<age>"), ports, ":<port>/");
    }
    return without_run(result);
  }

  // Without the five letters that end a generated name.
  std::string without_suffix(std::string text) const {
    constexpr std::size_t kLetters = 5;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    for (std::size_t at = text.find(generated_); at != std::string::npos; at = text.find(generated_, at + 1)) {
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at + generated_.size());
      const auto end = std::find_if_not(begin, text.end(), is_letter);
      if (end - begin == kLetters) text.replace(begin, end, "<suffix>");
    }
    return text;
  }

  using Pattern = std::pair<Regex, std::string>;
  static const std::array<Pattern, 4>& patterns() {
    static const std::array<Pattern, 4> all = {
        Pattern{Regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uid>"},
        Pattern{Regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z"), "<time>"},
        Pattern{Regex("\\b10[.][0-9]+[.][0-9]+[.][0-9]+\\b"), "<ip>"},
        Pattern{Regex("\\b3[0-2][0-9]{3}(?=: provided port)"), "<port>"}};
    return all;
  }

  std::string replaced(const std::string& from, const Regex& pattern, const std::string& name) const {
    std::string result;
    auto rest = from.begin();
    for (std::sregex_iterator match(from.begin(), from.end(), pattern), end; match != end; ++match) {
      result.append(rest, (*match)[0].first);
      result.append(was_sent(match->str()) ? match->str() : name);
      rest = (*match)[0].second;
    }
    return result.append(rest, from.end());
  }

  std::string without_run(std::string text) const {
    for (std::size_t at = text.find(context_.run); at != std::string::npos; at = text.find(context_.run, at + 5)) {
      text.replace(at, context_.run.size(), "<run>");
    }
    return text;
  }

  const AnswerContext& context_;
  std::string generated_;  // the start of the generated name, if there is one
};

}  // namespace

Json normalised(std::string_view body, const AnswerContext& context) {
  const Normaliser normaliser(context);
  if (const auto document = json::parse(body)) return normaliser.value(*document, {});
  Json lines = Json::array();
  for (const std::string_view line : split(body, '\n')) {
    if (line.empty()) continue;
    const auto document = json::parse(line);
    if (!document) return normaliser.value(std::string(body), {});
    lines.push_back(normaliser.value(*document, {}));
  }
  return lines;
}

}  // namespace landfall::sandbox
