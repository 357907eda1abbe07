#include "cli_admin/debug_redaction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/artifact_route.h"
#include "base/strings.h"
#include "cli_admin/debug_names.h"
#include "io/url.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::cli {

using json::Json;

namespace {

// How many texts of JSON may be within each other; and how deep one may be.
constexpr int kMostTexts = 5;
constexpr json::Limits kLimits{.max_bytes = std::size_t{4} << 20U, .max_depth = 100};

const std::string& text_of(const Json& value) { return value.get_ref<const std::string&>(); }

std::string removed() { return std::string(kRemoved); }

bool is_json(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return (trimmed.starts_with("{") && trimmed.ends_with("}")) || (trimmed.starts_with("[") && trimmed.ends_with("]"));
}

// A key in a selector, a toleration or a list of files; not one that opens something.
bool is_plain_key(const Json& object, std::string_view field) {
  return object.contains("operator") || object.contains("effect") || is_reference(field) || field == "items";
}

bool is_erased(std::string_view annotation) {
  return annotation.ends_with("last-applied-configuration") || annotation == api::kArtifactRouteAnnotation;
}

void remove_all(Json& value) {
  if (value.is_structured()) {
    for (Json& one : value) remove_all(one);
  } else if (!value.is_null() && !value.is_boolean()) {
    value = removed();
  }
}

}  // namespace

std::string Redaction::string(std::string_view text, int depth) const {
  if (!is_json(text)) return secrets_.clean(text);
  auto parsed = json::parse(text, kLimits);
  if (!parsed) return secrets_.clean(text);
  if (depth >= kMostTexts) return removed();
  value(*parsed, {.depth = depth + 1});
  return json::dump(*parsed);
}

std::string Redaction::line(std::string_view line) const { return string(line, 0); }

// One word of a command line: flags keep their names, and those of ours their values.
std::string Redaction::word(std::string_view word) const {
  if (is_kept_word(word)) return std::string(word);
  const std::string_view flag = word.substr(0, word.find('='));
  const bool is_name = std::ranges::all_of(flag, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  constexpr std::size_t kShortFlag = 2;
  if (!is_name || !word.starts_with("-")) return removed();
  if (!word.starts_with("--")) return word.size() == kShortFlag ? std::string(word) : removed();
  if (flag.size() == word.size()) return std::string(word);
  const std::string_view given = word.substr(flag.size() + 1);
  return std::string(flag) + "=" + (is_kept_flag(flag) ? secrets_.clean(given) : removed());
}

void Redaction::command(Json& words, bool begins_with_program) const {
  if (words.is_string()) {
    // A line for a shell, or a list that is written as JSON.
    if (auto parsed = json::parse(text_of(words), kLimits); parsed && parsed->is_array()) {
      command(*parsed, begins_with_program);
      words = json::dump(*parsed);
      return;
    }
    const std::vector<std::string_view> parts = split_words(text_of(words));
    if (parts.empty()) return;
    Json first = Json::array({std::string(parts[0])});
    command(first, begins_with_program);
    words = text_of(first[0]) + (parts.size() > 1 ? " " + removed() : "");
    return;
  }
  bool is_program = begins_with_program;
  for (Json& one : words) {
    if (!one.is_string()) {
      remove_all(one);
    } else if (is_program && !text_of(one).starts_with("-") &&
               text_of(one).find_first_of(" \t\n=:@\"'$") == std::string::npos) {
      one = secrets_.clean(text_of(one));
    } else {
      one = word(text_of(one));
    }
    is_program = false;
  }
}

void Redaction::settings(Json& config, int depth) const {
  for (auto& [key, setting] : config.items()) {
    if (is_kept_setting(key) && setting.is_string()) {
      setting = string(text_of(setting), depth);
    } else {
      remove_all(setting);
    }
  }
}

void Redaction::annotations(Json& notes, int depth) const {
  for (auto it = notes.begin(); it != notes.end();) {
    if (is_erased(it.key())) {
      it = notes.erase(it);
      continue;
    }
    const std::string& key = it.key();
    if (!is_known_annotation(key) || !it->is_string() || is_secret_name(key)) {
      remove_all(*it);
    } else if (key.ends_with("/command")) {
      command(*it, true);
    } else {
      *it = string(text_of(*it), depth);
    }
    ++it;
  }
}

std::string Redaction::annotation(std::string_view shown) const {
  const auto parts = cut(shown, '=');
  if (!parts) return removed();
  const std::string key(trim(parts->first));
  if (key.find_first_of(" \t\"{}") != std::string::npos) return removed();
  Json notes = {{key, std::string(parts->second)}};
  annotations(notes, 0);
  return std::string(parts->first) + "=" + json::string_or(notes, {key}, removed());
}

// Places that may hold anything, wherever they are.
bool Redaction::structure(std::string_view key, Json& member, int depth) const {
  if (key == "annotations" && member.is_object()) {
    annotations(member, depth);
  } else if ((key == "config" || key == "dataMoverConfig" || key == "repositoryConfig" || key == "uploaderSettings") &&
             member.is_object()) {
    settings(member, depth);
  } else if (key == "data" || key == "stringData" || key == "binaryData") {
    remove_all(member);
  } else if ((key == "command" || key == "args") && (member.is_array() || member.is_string())) {
    command(member, key == "command");
  } else if (key == "downloadURL" && member.is_string()) {
    member = string(io::redact_url(text_of(member)), depth);
  } else {
    return false;
  }
  return true;
}

void Redaction::member(std::string_view key, Json& member, const Json& name, const Place& place) const {
  if (structure(key, member, place.depth)) return;
  if (key == "value" && name.is_string()) {
    // An environment variable, a header, or anything else that is written as a name and a value.
    if (member.is_string() && is_kept_variable(text_of(name), text_of(member))) {
      member = string(text_of(member), place.depth);
    } else {
      remove_all(member);
    }
    return;
  }
  const bool points = is_reference(key) && member.is_structured();
  value(member, {.field = key, .is_secret = !points && is_secret_name(key), .depth = place.depth});
}

void Redaction::members(Json& object, const Place& place) const {
  object.erase("managedFields");
  const auto found = object.find("name");
  const Json name = found == object.end() ? Json() : *found;
  for (auto& [key, one] : object.items()) {
    if (key == "key" && one.is_string() && is_plain_key(object, place.field)) {
      one = string(text_of(one), place.depth);
    } else {
      member(key, one, name, place);
    }
  }
}

void Redaction::value(Json& value, const Place& place) const {
  if (place.is_secret) {
    remove_all(value);
  } else if (value.is_object()) {
    members(value, place);
  } else if (value.is_array()) {
    // A command line in JSON that nobody knows: the word behind --password is one.
    bool is_behind = false;
    for (Json& one : value) {
      const bool was_behind =
          std::exchange(is_behind, one.is_string() && text_of(one).starts_with("-") && !contains(text_of(one), "=") &&
                                       (is_secret_name(text_of(one)) || text_of(one).size() == 2));
      this->value(one, {.field = place.field, .is_secret = was_behind, .depth = place.depth});
    }
  } else if (value.is_string()) {
    value = string(text_of(value), place.depth);
  }
}

void Redaction::object(Json& object) const { value(object, {}); }

}  // namespace landfall::cli
