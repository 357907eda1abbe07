#include <yaml.h>

#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/utf8.h"
#include "json/json.h"
#include "json/natural_order.h"
#include "json/yaml.h"
#include "json/yaml_scalar.h"

namespace landfall::json {
namespace {

// libyaml's emitter over a string. After an error it does nothing more.
class Emitter {
 public:
  explicit Emitter(YamlLines lines) {
    yaml_emitter_initialize(&emitter_);
    yaml_emitter_set_output(&emitter_, &Emitter::append, &out_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, lines == YamlLines::kWhole ? -1 : 80);
  }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  ~Emitter() { yaml_emitter_delete(&emitter_); }

  // True when all of it was written.
  bool write(const Json& document) {
    yaml_event_t event;
    emit(yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), event);
    emit(yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1), event);
    value(document);
    emit(yaml_document_end_event_initialize(&event, 1), event);
    emitter_.open_ended = 0;  // no "..." after a text that ends in empty lines
    emit(yaml_stream_end_event_initialize(&event), event);
    return good_ && yaml_emitter_flush(&emitter_) != 0;
  }
  std::string take() { return std::move(out_); }

 private:
  static int append(void* out, unsigned char* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libyaml's characters are bytes.
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  void emit(int initialized, yaml_event_t& event) {
    good_ = good_ && initialized != 0;
    if (good_) {
      good_ = yaml_emitter_emit(&emitter_, &event) != 0;
    } else if (initialized != 0) {
      yaml_event_delete(&event);
    }
  }

  void value(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object:
        return mapping(value.get_ref<const Json::object_t&>());
      case Json::value_t::array:
        return sequence(value);
      case Json::value_t::string:
        return string(value.get_ref<const std::string&>());
      case Json::value_t::number_float:
        return number(value);
      default:
        return plain(value.is_binary() ? "null" : value.dump());
    }
  }

  void mapping(const Json::object_t& object) {
    yaml_event_t event;
    emit(yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE), event);
    std::vector<const Json::object_t::value_type*> members;
    members.reserve(object.size());
    for (const auto& member : object) members.push_back(&member);
    sort_naturally(members, [](const auto* member) -> std::string_view { return member->first; });
    for (const auto* member : members) {
      string(member->first);
      value(member->second);
    }
    emit(yaml_mapping_end_event_initialize(&event), event);
  }

  void sequence(const Json& array) {
    yaml_event_t event;
    emit(yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE), event);
    for (const Json& element : array) value(element);
    emit(yaml_sequence_end_event_initialize(&event), event);
  }

  // kubectl goes over JSON text, in which a whole number has no point: it stays one as far as 64 bits reach.
  void number(const Json& value) {
    const std::string digits = dump_go(value);
    const char* end = digits.data() + digits.size();
    std::int64_t integer = 0;
    std::uint64_t large = 0;
    const bool is_integer = std::from_chars(digits.data(), end, integer) == std::from_chars_result{end, std::errc()} ||
                            std::from_chars(digits.data(), end, large) == std::from_chars_result{end, std::errc()};
    if (digits == "-0") return plain("0");
    plain(is_integer || digits == "null" ? digits : yaml_number(value.get<double>()));
  }

  void string(const std::string& raw) {
    if (!is_valid_utf8(raw)) return string(to_valid_utf8(raw));
    if (raw.find('\n') != std::string::npos) return scalar(raw, YAML_LITERAL_SCALAR_STYLE);
    scalar(raw, is_plain_string(raw) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  void plain(const std::string& text) { scalar(text, YAML_PLAIN_SCALAR_STYLE); }

  // The style is a wish: libyaml quotes where the text cannot stand plain or as a block.
  void scalar(const std::string& text, yaml_scalar_style_t style) {
    yaml_event_t event;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libyaml's characters are bytes.
    const auto* bytes = reinterpret_cast<const yaml_char_t*>(text.data());
    emit(yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes, static_cast<int>(text.size()), 1, 1, style),
         event);
  }

  std::string out_;
  yaml_emitter_t emitter_{};
  bool good_ = true;
};

}  // namespace

std::string to_yaml(const Json& document, YamlLines lines) {
  Emitter emitter(lines);
  // JSON is YAML, should libyaml ever refuse.
  return emitter.write(document) ? emitter.take() : dump_pretty(document) + "\n";
}

}  // namespace landfall::json
