#include "restore/managed_fields.h"

#include <simdjson.h>

#include <string_view>

namespace landfall::restore {
namespace {

// Where the list stands in the text; empty when there is none to be cut.
std::string_view list_in(std::string& text) {
  thread_local simdjson::ondemand::parser parser;
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  if (parser.iterate(text.data(), text.size(), text.capacity()).get(document) != simdjson::SUCCESS) return {};
  simdjson::ondemand::value list;
  if (document["metadata"]["managedFields"].get(list) != simdjson::SUCCESS) return {};
  simdjson::ondemand::array array;
  if (list.get_array().get(array) != simdjson::SUCCESS) return {};
  std::string_view raw;
  if (array.raw_json().get(raw) != simdjson::SUCCESS) return {};
  return raw;
}

}  // namespace

void cut_managed_fields(std::string& text) {
  const std::string_view list = list_in(text);
  if (list.size() <= 2 || list.front() != '[' || list.back() != ']') return;
  if (list.find("\"Apply\"") != std::string_view::npos) return;
  text.erase(static_cast<std::size_t>(list.data() - text.data()) + 1, list.size() - 2);
}

}  // namespace landfall::restore
