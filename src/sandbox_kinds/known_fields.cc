#include "sandbox_kinds/known_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "base/encoding.h"
#include "base/quote.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/json.h"
#include "sandbox_kinds/protobuf_schema.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kMaxReported = 100;

// The types of the fields of a message by their names.
using Fields = std::unordered_map<std::string_view, std::string_view>;
using Messages = std::unordered_map<std::string_view, Fields>;

void read_fields(std::string_view line, Fields& fields, std::vector<std::string_view>& inlined) {
  for (const std::string_view entry : split(line, ';')) {
    const auto words = split(entry, ' ');
    if (words.size() != 3) continue;
    const std::size_t type = words[2].find_first_not_of('!');
    if (words[1] == "^") {
      inlined.push_back(words[2].substr(type + 1));
    } else {
      fields.emplace(words[1], words[2].substr(type));
    }
  }
}

Messages read_messages() {
  Messages messages;
  std::unordered_map<std::string_view, std::vector<std::string_view>> inlined;
  for (const std::string_view line : split(kProtobufSchema, '\n')) {
    if (const auto parts = cut(line, ':')) read_fields(parts->second, messages[parts->first], inlined[parts->first]);
  }
  // Nothing that is inlined inlines something itself, so that one round is enough.
  for (const auto& [name, others] : inlined) {
    for (const std::string_view other : others) {
      const Fields copy = messages[other];
      messages[name].insert(copy.begin(), copy.end());
    }
  }
  return messages;
}

const Fields* find_message(std::string_view name) {
  static const Messages kMessages = read_messages();
  const auto found = kMessages.find(name);
  return found == kMessages.end() ? nullptr : &found->second;
}

std::string message_of(const KindInfo& kind) {
  if (kind.id.group == "autoscaling" && kind.id.version == "v2") return kind.kind + "_autoscaling";
  if (kind.id.group == "events.k8s.io") return kind.kind + "_events";
  return kind.kind;
}

class Pruner {
 public:
  std::vector<std::string> found;

  void object(std::string_view message, Json& value, const std::string& path) {
    const Fields* fields = find_message(message);
    if (fields == nullptr || !value.is_object()) return;
    for (auto member = value.begin(); member != value.end();) {
      const std::string& key = member.key();
      const bool is_typed = path.empty() || message == "PersistentVolumeClaim";  // a template of one says so, too
      if (is_typed && (key == "apiVersion" || key == "kind")) {
        ++member;
        continue;
      }
      const auto field = fields->find(key);
      const std::string place = path.empty() ? key : path + "." + key;
      if (field == fields->end()) {
        if (found.size() < kMaxReported) found.push_back(place);
        member = value.erase(member);
        continue;
      }
      any(field->second, *member, place);
      ++member;
    }
  }

 private:
  void any(std::string_view type, Json& value, const std::string& path) {
    const char first = type.empty() ? ' ' : type.front();
    if (first == 'M') return object(type.substr(1), value, path);
    const bool has_messages = type.find('M') != std::string_view::npos;
    if (first == '*' && has_messages && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) any(type.substr(1), value[i], fmt::format("{}[{}]", path, i));
    } else if (first == '%' && has_messages && value.is_object()) {
      for (auto& [key, item] : value.items()) any(type.substr(1), item, path + "." + key);
    }
  }
};

// Go's word for the type of a value.
std::string_view go_type(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_number()) return "number";
  return value.is_array() ? "array" : "object";
}

// Integers of 64 bits; all others have 32.
bool is_long(std::string_view name) {
  static constexpr auto kLong = std::to_array<std::string_view>(
      {"generation", "observedGeneration", "deletionGracePeriodSeconds", "terminationGracePeriodSeconds",
       "activeDeadlineSeconds", "tolerationSeconds", "runAsUser", "runAsGroup", "fsGroup", "expirationSeconds",
       "revision", "startingDeadlineSeconds"});
  return std::ranges::find(kLong, name) != kLong.end();
}

// As Go writes a type of the schema.
std::string go_name(std::string_view type, std::string_view name) {
  switch (type.empty() ? ' ' : type.front()) {
    case 's':
      return "string";
    case 'i':
      return is_long(name) ? "int64" : "int32";
    case 'b':
      return "bool";
    case 'y':
      return "[]uint8";
    case 'M':
      return "v1." + std::string(type.substr(1, type.find('_') - 1));
    case '*':
      return "[]" + go_name(type.substr(1), name);
    case '%':
      return "map[string]" + go_name(type.substr(1), name);
    default:
      return "interface {}";
  }
}

class TypeCheck {
 public:
  std::optional<std::string> problem;

  void object(std::string_view message, const Json& value, const std::string& path) {
    const Fields* fields = find_message(message);
    if (fields == nullptr) return;
    for (const auto& [key, child] : value.items()) {
      const auto field = fields->find(key);
      if (field == fields->end() || problem) continue;
      const Where where{message.substr(0, message.find('_')), key, path.empty() ? key : path + "." + key};
      any(field->second, child, where);
    }
  }

 private:
  struct Where {
    std::string_view message;
    std::string_view name;
    std::string path;
  };

  void any(std::string_view type, const Json& value, const Where& where) {
    if (type.empty() || value.is_null() || problem) return;
    switch (type.front()) {
      case 's':
        return expect(value.is_string(), type, value, where);
      case 'i':
        return expect(value.is_number(), type, value, where);
      case 'b':
        return expect(value.is_boolean(), type, value, where);
      case 'y':
        return bytes(type, value, where);
      case 't':
      case 'u':
        return time(value);
      case 'M':
        expect(value.is_object(), type, value, where);
        return problem ? void() : object(type.substr(1), value, where.path);
      case '*':
        expect(value.is_array(), type, value, where);
        break;
      case '%':
        expect(value.is_object(), type, value, where);
        break;
      default:
        return;
    }
    for (const Json& element : value) any(type.substr(1), element, where);
  }

  void expect(bool fits, std::string_view type, const Json& value, const Where& where) {
    if (fits) return;
    problem = fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", go_type(value),
                          where.message, where.path, go_name(type, where.name));
  }

  void bytes(std::string_view type, const Json& value, const Where& where) {
    expect(value.is_string(), type, value, where);
    if (problem) return;
    auto text = value.get<std::string>();
    std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });  // as Go's decoder does
    if (base64_decode(text)) return;
    const std::size_t at = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");
    problem = fmt::format("illegal base64 data at input byte {}", at == std::string::npos ? text.size() : at);
  }

  void time(const Json& value) {
    if (!value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    if (text.empty() || parse_rfc3339(text)) return;
    problem =
        fmt::format("parsing time {0} as \"2006-01-02T15:04:05Z07:00\": cannot parse {0} as \"2006\"", quote(text));
  }
};

}  // namespace

std::optional<std::string> wrong_type(const KindInfo& kind, const Json& object) {
  TypeCheck check;
  const std::string message = message_of(kind);
  const Fields* fields = find_message(message);
  if (fields != nullptr && fields->contains("metadata")) check.object(message, object, "");
  return check.problem;
}

void write_missing_times(const KindInfo& kind, Json& object) {
  const auto status = object.find("status");
  const Fields* fields = find_message(kind.kind + "Status");
  if (fields == nullptr || status == object.end() || !status->is_object()) return;
  const auto conditions = status->find("conditions");
  const auto type = fields->find("conditions");
  if (conditions == status->end() || !conditions->is_array() || type == fields->end()) return;
  const Fields* condition = find_message(type->second.substr(std::min<std::size_t>(2, type->second.size())));
  if (condition == nullptr) return;
  for (Json& one : *conditions) {
    for (const auto& [name, kind_of_field] : *condition) {
      if (kind_of_field == "t" && one.is_object() && !one.contains(name)) one[std::string(name)] = nullptr;
    }
  }
}

std::vector<std::string> prune_built_in(const KindInfo& kind, Json& object) {
  Pruner pruner;
  const std::string message = message_of(kind);
  const Fields* fields = find_message(message);
  const bool is_known = fields != nullptr && fields->contains("metadata");
  if (is_known) {
    pruner.object(message, object, "");
  } else if (const auto metadata = object.find("metadata"); metadata != object.end()) {
    pruner.object("ObjectMeta", *metadata, "metadata");
  }
  return std::move(pruner.found);
}

}  // namespace landfall::sandbox
