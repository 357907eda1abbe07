#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "json/json.h"

// How rapidcheck shows a counterexample; without it a document would be taken for a string.
namespace nlohmann {
inline void showValue(const json& value, std::ostream& out) {  // NOLINT(readability-identifier-naming): its name
  out << value;
}
}  // namespace nlohmann

// For tests only: random documents, and the tables that the Go libraries wrote.
namespace landfall::json {

inline Json load_testdata(const std::string& name) {
  std::ifstream file(std::string(LANDFALL_SOURCE_DIR) + "/src/json/testdata/" + name);
  return Json::parse(file);
}

enum class Nulls { kAllowed, kNone };

// Text with what readers and writers stumble over: quotes, controls, line ends, words that YAML knows, all of Unicode.
inline rc::Gen<std::string> arbitrary_text() {
  const auto characters = rc::gen::elementOf(std::vector<std::string>{
      "a", "b",  "Z",  "0",  "1",  "_",      "-",      ".",      ":",      " ", "  ", "#", "\"", "'", "\\",
      "/", "\n", "\r", "\t", "\b", "\x01",   "\x7f",   "<",      ">",      "&", "|",  "{", "[",  ",", "!",
      "%", "@",  "é",  "日", "😀", "\u0085", "\u2028", "\ufeff", "\uffff", "?", "*",  "~", "=",  "+", "`"});
  const auto words = rc::gen::elementOf(std::vector<std::string>{
      "",   "true", "no", "y",   "null", "~",          "1",     "1.5", "0x1f", "1e3", "<<", "---", ".inf",
      "08", "1_0",  "-",  "- a", "a: b", "2001-01-01", "12:30", "a\n", "\na",  " a",  "a ", "..."});
  const auto joined = rc::gen::map(rc::gen::container<std::vector<std::string>>(characters), [](const auto& parts) {
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
  });
  return rc::gen::oneOf(joined, words);
}

inline rc::Gen<Json> arbitrary_scalar(Nulls nulls) {
  const auto json = [](auto gen) { return rc::gen::map(std::move(gen), [](auto value) { return Json(value); }); };
  const auto number = rc::gen::suchThat(rc::gen::arbitrary<double>(), [](double d) { return std::isfinite(d); });
  const auto any = rc::gen::oneOf(json(rc::gen::arbitrary<bool>()), json(rc::gen::arbitrary<std::int64_t>()),
                                  json(number), json(arbitrary_text()), json(arbitrary_text()));
  return nulls == Nulls::kNone ? any : rc::gen::weightedOneOf<Json>({{9, any}, {1, rc::gen::just(Json())}});
}

inline rc::Gen<Json> arbitrary_json(int depth = 4, Nulls nulls = Nulls::kAllowed) {
  if (depth == 0) return arbitrary_scalar(nulls);
  const auto child = arbitrary_json(depth - 1, nulls);
  const auto list = rc::gen::map(rc::gen::resize(4, rc::gen::container<std::vector<Json>>(child)),
                                 [](const auto& elements) { return Json(elements); });
  const auto object = rc::gen::map(rc::gen::resize(4, rc::gen::container<std::vector<std::pair<std::string, Json>>>(
                                                          rc::gen::pair(rc::gen::resize(20, arbitrary_text()), child))),
                                   [](const auto& members) {
                                     Json value = Json::object();
                                     for (const auto& [key, member] : members) value[key] = member;
                                     return value;
                                   });
  return rc::gen::weightedOneOf<Json>({{2, arbitrary_scalar(nulls)}, {1, list}, {2, object}});
}

inline rc::Gen<Json> arbitrary_object(Nulls nulls = Nulls::kAllowed) {
  return rc::gen::suchThat(arbitrary_json(4, nulls), [](const Json& value) { return value.is_object(); });
}

}  // namespace landfall::json
