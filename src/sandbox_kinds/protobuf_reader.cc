#include "sandbox_kinds/protobuf_reader.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/encoding.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/kinds.h"
#include "sandbox_kinds/protobuf_schema.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr int kMaxDepth = 100;

struct Field {
  std::string_view name;
  std::string_view type;
};
using Message = std::map<std::uint64_t, Field>;
using Schema = std::unordered_map<std::string_view, Message>;

Schema parse_schema() {
  Schema out;
  for (const std::string_view line : split(kProtobufSchema, '\n')) {
    const auto head = cut(line, ':');
    if (!head) continue;
    Message& message = out[head->first];
    for (const std::string_view entry : split(head->second, ';')) {
      const auto words = split(entry, ' ');
      if (words.size() != 3) continue;
      message[parse_uint64(words[0]).value_or(0)] = {words[1], words[2]};
    }
  }
  return out;
}

const Schema& schema() {
  static const Schema kSchema = parse_schema();
  return kSchema;
}

// One field on the wire.
struct Wire {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
  bool is_bytes = false;
};

Error damaged() { return {Code::kInvalid, "the protobuf message is damaged"}; }

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  Result<Wire> next() {
    TRY_ASSIGN(const std::uint64_t tag, "", varint());
    Wire out{.number = tag >> 3U};
    switch (tag & 7U) {
      case 0: {
        TRY_ASSIGN(out.value, "", varint());
        return out;
      }
      case 1:
        return skip_fixed(out, 8);
      case 2: {
        TRY_ASSIGN(const std::uint64_t size, "", varint());
        if (size > rest_.size()) return fail("", damaged());
        out.bytes = rest_.substr(0, size);
        out.is_bytes = true;
        rest_.remove_prefix(size);
        return out;
      }
      case 5:
        return skip_fixed(out, 4);
      default:
        return fail("", damaged());
    }
  }

 private:
  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return fail("", damaged());
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) return value;
    }
    return fail("", damaged());
  }

  Result<Wire> skip_fixed(Wire out, std::size_t size) {
    if (rest_.size() < size) return fail("", damaged());
    rest_.remove_prefix(size);
    return out;
  }

  std::string_view rest_;
};

// The fields of a small message by number; the last of each counts.
Result<std::map<std::uint64_t, Wire>> fields_of(std::string_view bytes) {
  std::map<std::uint64_t, Wire> out;
  WireReader reader(bytes);
  while (!reader.at_end()) {
    TRY_ASSIGN(const Wire wire, "", reader.next());
    out[wire.number] = wire;
  }
  return out;
}

Result<Json> read_time(std::string_view bytes, bool with_micros) {
  TRY_ASSIGN(const auto fields, "", fields_of(bytes));
  if (fields.empty()) return Json();
  const auto part = [&](std::uint64_t number) {
    const auto found = fields.find(number);
    return found == fields.end() ? std::int64_t{0} : static_cast<std::int64_t>(found->second.value);
  };
  const std::int64_t seconds = part(1);
  // Go's zero time, and what our clock cannot hold.
  if (seconds <= -9'000'000'000 || seconds >= 9'000'000'000) return Json();
  const WallTime time{std::chrono::seconds(seconds) + std::chrono::nanoseconds(part(2) % 1'000'000'000)};
  return Json(with_micros ? format_rfc3339_micro(time) : format_rfc3339(time));
}

Result<Json> read_int_or_string(std::string_view bytes) {
  TRY_ASSIGN(const auto fields, "", fields_of(bytes));
  const auto type = fields.find(1);
  if (type != fields.end() && type->second.value == 1) {
    const auto text = fields.find(3);
    return Json(text == fields.end() ? std::string() : std::string(text->second.bytes));
  }
  const auto number = fields.find(2);
  return Json(number == fields.end() ? std::int64_t{0} : static_cast<std::int64_t>(number->second.value));
}

// A message whose only field is the value's bytes.
Result<std::string_view> only_field(std::string_view bytes) {
  TRY_ASSIGN(const auto fields, "", fields_of(bytes));
  const auto found = fields.find(1);
  return found == fields.end() ? std::string_view() : found->second.bytes;
}

bool is_zero(const Json& value) {
  if (value.is_null()) return true;
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return value == 0;
  return value.empty();
}

class Reader {
 public:
  Result<Json> message(std::string_view name, std::string_view bytes, int depth) {
    if (depth > kMaxDepth) return fail(Code::kTooLarge, "the protobuf message is nested too deeply");
    const auto known = schema().find(name);
    if (known == schema().end()) return fail(Code::kUnsupported, "no schema of " + std::string(name));
    Json out = Json::object();
    WireReader reader(bytes);
    while (!reader.at_end()) {
      TRY_ASSIGN(const Wire wire, "", reader.next());
      const auto field = known->second.find(wire.number);
      if (field == known->second.end()) continue;
      TRY("", put(out, field->second, wire, depth));
    }
    return out;
  }

 private:
  Status put(Json& out, const Field& field, const Wire& wire, int depth) {
    std::string_view type = field.type;
    const bool keeps_zero = type.starts_with('!');
    if (keeps_zero) type.remove_prefix(1);
    const std::string name(field.name);
    if (type.starts_with('*')) {
      TRY_ASSIGN(Json item, "", value(type.substr(1), wire, depth));
      out[name].push_back(std::move(item));
      return {};
    }
    if (type.starts_with('%')) return put_entry(out[name], type.substr(1), wire.bytes, depth);
    TRY_ASSIGN(Json read, "", value(type, wire, depth));
    if (field.name == "^") {
      if (read.is_object()) out.update(read);
      return {};
    }
    if (keeps_zero ? !read.is_null() : !is_zero(read)) out[name] = std::move(read);
    return {};
  }

  Status put_entry(Json& map, std::string_view type, std::string_view bytes, int depth) {
    TRY_ASSIGN(auto fields, "", fields_of(bytes));
    const std::string key(fields[1].bytes);
    if (type == "*s") {  // a list is a message of its own here
      Json list = Json::array();
      WireReader reader(fields[2].bytes);
      while (!reader.at_end()) {
        TRY_ASSIGN(const Wire item, "", reader.next());
        list.push_back(std::string(item.bytes));
      }
      map[key] = std::move(list);
      return {};
    }
    TRY_ASSIGN(Json read, "", value(type, fields[2], depth));
    map[key] = std::move(read);
    return {};
  }

  Result<Json> value(std::string_view type, const Wire& wire, int depth) {
    if (type.starts_with('!')) type.remove_prefix(1);
    switch (type.empty() ? ' ' : type.front()) {
      case 's':
        return Json(std::string(wire.bytes));
      case 'i':
        return Json(static_cast<std::int64_t>(wire.value));
      case 'b':
        return Json(wire.value != 0);
      case 'y':
        return Json(base64_encode(wire.bytes));
      case 'o':
        return read_int_or_string(wire.bytes);
      case 't':
        return read_time(wire.bytes, false);
      case 'u':
        return read_time(wire.bytes, true);
      case 'q': {
        TRY_ASSIGN(const std::string_view text, "", only_field(wire.bytes));
        return Json(std::string(text));
      }
      case 'j': {
        TRY_ASSIGN(const std::string_view text, "", only_field(wire.bytes));
        if (text.empty()) return Json();
        return json::parse(text);
      }
      case 'M':
        return message(type.substr(1), wire.bytes, depth + 1);
      default:
        return fail(Code::kUnsupported, "a list of lists");
    }
  }
};

std::string message_name(const k8s::GroupVersionKind& kind) {
  if (kind.group == "autoscaling" && kind.version == "v2") return kind.kind + "_autoscaling";
  if (kind.group == "events.k8s.io") return kind.kind + "_events";
  return kind.kind;
}

}  // namespace

Result<Json> read_protobuf(std::string_view body) {
  const auto content = strip_prefix(body, std::string_view("k8s\0", 4));
  if (!content) return fail(Code::kInvalid, "the body does not begin as Kubernetes' protobuf does");
  TRY_ASSIGN(auto envelope, "", fields_of(*content));
  TRY_ASSIGN(auto type, "", fields_of(envelope[1].bytes));
  const std::string api_version(type[1].bytes);
  const std::string kind(type[2].bytes);
  TRY_ASSIGN(Json out, "", Reader().message(message_name(k8s::kind_of(api_version, kind)), envelope[2].bytes, 0));
  out["apiVersion"] = api_version;
  out["kind"] = kind;
  return out;
}

}  // namespace landfall::sandbox
