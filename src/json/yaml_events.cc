#include "json/yaml_events.h"

namespace landfall::json {
namespace {

std::string place_of(const yaml_mark_t& mark) {
  return "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1);
}

const char* bytes(const yaml_char_t* text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libyaml's characters are bytes.
  return reinterpret_cast<const char*>(text);
}

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : std::string_view(bytes(text));
}

}  // namespace

std::string Event::place() const { return place_of(event_.start_mark); }

std::string_view Event::anchor() const {
  switch (event_.type) {
    case YAML_SCALAR_EVENT:
      return view(event_.data.scalar.anchor);
    case YAML_SEQUENCE_START_EVENT:
      return view(event_.data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
      return view(event_.data.mapping_start.anchor);
    case YAML_ALIAS_EVENT:
      return view(event_.data.alias.anchor);
    default:
      return {};
  }
}

bool Event::is_flow() const {
  return (event_.type == YAML_SEQUENCE_START_EVENT && event_.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE) ||
         (event_.type == YAML_MAPPING_START_EVENT && event_.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
}

std::string_view Event::text() const { return {bytes(event_.data.scalar.value), event_.data.scalar.length}; }

std::string_view Event::tag() const { return view(event_.data.scalar.tag); }

Events::Events(std::string_view text) {
  yaml_parser_initialize(&parser_);
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libyaml's characters are bytes.
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

Status Events::next(Event& event) {
  if (yaml_parser_parse(&parser_, event.get()) != 0) return {};
  const std::string problem = parser_.problem == nullptr ? "out of memory" : parser_.problem;
  if (parser_.error == YAML_READER_ERROR) {
    // libyaml knows only the offset of these.
    return fail(Code::kInvalid, "byte " + std::to_string(parser_.problem_offset + 1) + ": " + problem);
  }
  return fail(Code::kInvalid, place_of(parser_.problem_mark) + ": " + problem);
}

}  // namespace landfall::json
