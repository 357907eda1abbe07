#include "sandbox/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/encoding.h"
#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "sandbox/api_error.h"
#include "sandbox_kinds/known_fields.h"
#include "sandbox_kinds/protobuf_reader.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kMaxReported = 100;

// What the server shows of a body that it cannot read.
std::string summary_of(std::string_view body) {
  if (body.empty()) return "<empty>";
  const bool is_text = body.front() == '{' || body.front() == '<';
  if (!is_text) return hex_encode(body.substr(0, 30)) + (body.size() > 30 ? " ..." : "");
  return std::string(body.substr(0, 30)) + (body.size() > 30 ? " ..." : "");
}

Error unreadable(std::string_view what, std::string_view why, std::string_view body) {
  return bad_request(
      fmt::format("the object provided is unrecognized (must be of type {}): couldn't get version/kind; "
                  "json parse error: {} ({})",
                  what, why, summary_of(body)));
}

// Go's word for the type of a value.
std::string_view go_type(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_number()) return "number";
  return value.is_array() ? "array" : "object";
}

Error cannot_unmarshal(const KindInfo& kind, const Json& value, std::string_view field, std::string_view type) {
  return bad_request(
      fmt::format("{} in version {} cannot be handled as a {}: json: cannot unmarshal {} into Go struct "
                  "field {} of type {}",
                  kind.kind, quote(kind.id.version), kind.kind, go_type(value), field, type));
}

Status check_string_map(const KindInfo& kind, const Json* map, const std::string& field) {
  if (map == nullptr) return {};
  if (!map->is_object()) return fail("", cannot_unmarshal(kind, *map, field, "map[string]string"));
  for (const auto& [key, value] : map->items()) {
    if (!value.is_string() && !value.is_null()) return fail("", cannot_unmarshal(kind, value, field, "string"));
  }
  return {};
}

Status check_metadata(const KindInfo& kind, const Json& object) {
  const Json* metadata = json::find(object, {"metadata"});
  if (metadata == nullptr) return {};
  if (!metadata->is_object()) {
    return fail("", cannot_unmarshal(kind, *metadata, kind.kind + ".metadata", "v1.ObjectMeta"));
  }
  for (const std::string_view field : {"name", "namespace", "generateName", "uid", "resourceVersion"}) {
    const Json* value = json::find(*metadata, {field});
    if (value != nullptr && !value->is_string()) {
      return fail("", cannot_unmarshal(kind, *value, fmt::format("ObjectMeta.metadata.{}", field), "string"));
    }
  }
  TRY("", check_string_map(kind, json::find(*metadata, {"labels"}), "ObjectMeta.metadata.labels"));
  TRY("", check_string_map(kind, json::find(*metadata, {"annotations"}), "ObjectMeta.metadata.annotations"));
  for (const std::string_view field : {"finalizers", "ownerReferences", "managedFields"}) {
    const Json* value = json::find(*metadata, {field});
    if (value == nullptr) continue;
    const bool of_strings = field == "finalizers";
    const std::string_view type = of_strings                 ? "string"
                                  : field == "managedFields" ? "v1.ManagedFieldsEntry"
                                                             : "v1.OwnerReference";
    const std::string where = fmt::format("ObjectMeta.metadata.{}", field);
    if (!value->is_array()) return fail("", cannot_unmarshal(kind, *value, where, fmt::format("[]{}", type)));
    for (const Json& item : *value) {
      if (of_strings ? !item.is_string() : !item.is_object())
        return fail("", cannot_unmarshal(kind, item, where, type));
    }
  }
  return {};
}

Status check_data(const KindInfo& kind, const Json& object) {
  if (!kind.id.group.empty() || (kind.kind != "ConfigMap" && kind.kind != "Secret")) return {};
  for (const std::string_view field : {"data", "binaryData", "stringData"}) {
    TRY("", check_string_map(kind, json::find(object, {field}), fmt::format("{}.{}", kind.kind, field)));
  }
  return {};
}

// Custom resources must say what they are, and are refused in other words.
Status check_custom_type(const KindInfo& kind, const std::string& api_version, const std::string& name,
                         const Json& object) {
  const std::string expected = to_string(kind.id.group_version());
  if (name.empty()) {
    const std::string text = json::dump(object);
    return fail("", bad_request(fmt::format("the object provided is unrecognized (must be of type {}): Object 'Kind' "
                                            "is missing in '{}' ({})",
                                            kind.kind, text, summary_of(text))));
  }
  if (api_version != expected) {
    return fail("", bad_request(fmt::format("the API version in the data ({}) does not match the expected API version "
                                            "({})",
                                            api_version, expected)));
  }
  if (name == kind.kind) return {};
  return fail("", invalid(k8s::GroupKind{kind.id.group, name}, json::string_or(object, {"metadata", "name"}, ""),
                          {invalid_cause("kind", Json(name), "must be " + kind.kind)}));
}

// Finds keys that an object has twice, without building the document.
class DuplicateFinder final : public nlohmann::json_sax<Json> {
 public:
  std::vector<std::string> found;

  bool null() override { return scalar(); }
  bool boolean(bool /*value*/) override { return scalar(); }
  bool number_integer(number_integer_t /*value*/) override { return scalar(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return scalar(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return scalar(); }
  bool string(string_t& /*value*/) override { return scalar(); }
  bool binary(binary_t& /*value*/) override { return scalar(); }
  bool start_object(std::size_t /*elements*/) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override {
    open();
    levels_.back().index = 0;
    return levels_.size() < json::kMaxDepth;
  }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (!level.seen.insert(name).second && found.size() < kMaxReported) found.push_back(path());
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  struct Level {
    std::set<std::string> seen;
    std::string key;
    long index = -1;  // of an array
  };

  bool open() {
    levels_.emplace_back();
    return levels_.size() < json::kMaxDepth;
  }
  bool close() {
    levels_.pop_back();
    return scalar();
  }
  bool scalar() {
    if (!levels_.empty() && levels_.back().index >= 0) ++levels_.back().index;
    return true;
  }
  std::string path() const {
    std::string out;
    for (const Level& level : levels_) {
      if (level.index >= 0) {
        out += fmt::format("[{}]", level.index);
      } else {
        out += (out.empty() ? "" : ".") + level.key;
      }
    }
    return out;
  }

  std::vector<Level> levels_;
};

}  // namespace

std::string go_json_message(const std::string& message) {
  const bool is_cut_short = contains(message, "unexpected end of input") || contains(message, "missing closing quote");
  return is_cut_short ? "unexpected end of JSON input" : message;
}

Result<Json> parse_body(std::string_view body, BodyFormat format, std::string_view what) {
  if (format == BodyFormat::kProtobuf) {
    auto read = read_protobuf(body);
    if (read) return read;
    if (read.error().code() == Code::kUnsupported) {
      return fail("", unsupported_media_type("the sandbox reads no protobuf of this kind: send JSON"));
    }
    return fail("", bad_request(fmt::format("the object provided is unrecognized (must be of type {}): {} ({})", what,
                                            read.error().message(), summary_of(body))));
  }
  if (trim(body).empty()) return fail("", unreadable(what, "unexpected end of JSON input", body));
  Result<Json> parsed = format == BodyFormat::kJson ? json::parse(body) : json::parse_yaml(body);
  if (!parsed) return fail("", unreadable(what, go_json_message(parsed.error().message()), body));
  if (parsed->is_null()) return Json::object();
  if (!parsed->is_object()) {
    const std::string why = fmt::format(
        "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "
        "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
        "\"json:\\\"kind,omitempty\\\"\" }}",
        go_type(*parsed));
    return fail("", unreadable(what, why, body));
  }
  return parsed;
}

Status check_type(const KindSet& kinds, const KindInfo& kind, const Json& object) {
  const std::string api_version = json::string_or(object, {"apiVersion"}, "");
  const std::string name = json::string_or(object, {"kind"}, "");
  const std::string expected = to_string(kind.id.group_version());
  const auto refuse = [&](const std::string& why) {
    const auto given = k8s::kind_of(api_version.empty() ? expected : api_version, name.empty() ? kind.kind : name);
    return fail("", bad_request(fmt::format("{} in version {} cannot be handled as a {}: {}", given.kind,
                                            quote(given.version), kind.kind, why)));
  };
  if (kind.is_custom()) TRY("", check_custom_type(kind, api_version, name, object));
  if ((!api_version.empty() && api_version != expected) || (!name.empty() && name != kind.kind)) {
    const auto given = k8s::kind_of(api_version.empty() ? expected : api_version, name.empty() ? kind.kind : name);
    if (!kinds.find_kind(given.group, given.version, given.kind)) {
      return refuse(fmt::format("no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:110\"",
                                quote(given.kind), quote(to_string(given.group_version()))));
    }
    if (given.kind != kind.kind) {
      const std::string group = kind.id.group.empty() ? "core" : kind.id.group.substr(0, kind.id.group.find('.'));
      return refuse(fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", given.version, given.kind, group,
                                kind.kind));
    }
    return fail("",
                bad_request(fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                                        api_version, expected)));
  }
  TRY("", check_metadata(kind, object));
  TRY("", check_data(kind, object));
  if (kind.is_custom()) return {};
  if (const auto wrong = wrong_type(kind, object)) return refuse(*wrong);
  return {};
}

std::vector<std::string> duplicate_fields(std::string_view body) {
  DuplicateFinder finder;
  Json::sax_parse(body.begin(), body.end(), &finder);
  return std::move(finder.found);
}

Status report_fields(const KindInfo& kind, const std::vector<std::string>& problems, FieldValidation how,
                     std::vector<std::string>* warnings) {
  if (problems.empty() || how == FieldValidation::kIgnore) return {};
  if (how == FieldValidation::kWarn) {
    if (warnings != nullptr) warnings->insert(warnings->end(), problems.begin(), problems.end());
    return {};
  }
  return fail("", bad_request(fmt::format("{} in version {} cannot be handled as a {}: strict decoding error: {}",
                                          kind.kind, quote(kind.id.version), kind.kind, join(problems, ", "))));
}

}  // namespace landfall::sandbox
