#include "kube/raw_page.h"

#include <simdjson.h>

#include <algorithm>

#include "base/strings.h"

namespace landfall::kube {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

// A string's text between its quotes, as it stands.
std::string_view unquoted(std::string_view raw) {
  raw = trim(raw);
  return raw.size() >= 2 && raw.front() == '"' ? raw.substr(1, raw.size() - 2) : std::string_view();
}

// Whether it can stand between quotes as it is: versions and kinds are plain words.
bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '/';
  });
}

// Sets a text from a field; anything but a string leaves it as it was.
error_code read_text(ondemand::value value, std::string& into) {
  std::string_view text;
  if (value.get_string().get(text) == SUCCESS) {
    into = text;
  }
  return SUCCESS;
}

// Calls on_field(key, value) for each field of an object.
template <class OnField>
error_code each_field(ondemand::object object, const OnField& on_field) {
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (const error_code error = field.unescaped_key().get(key)) {
      return error;
    }
    if (const error_code error = field.value().get(value)) {
      return error;
    }
    if (const error_code error = on_field(key, value)) {
      return error;
    }
  }
  return SUCCESS;
}

// An object's text; anything else leaves it empty.
error_code read_object(ondemand::value value, std::string_view& into) {
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) {
    return SUCCESS;
  }
  const error_code error = object.raw_json().get(into);
  into = trim(into);
  return error;
}

error_code read_item_metadata(ondemand::value value, RawItem& item) {
  ondemand::object metadata;
  if (const error_code error = value.get_object().get(metadata)) {
    return error;
  }
  return each_field(metadata, [&](std::string_view key, ondemand::value field) {
    if (key == "name") {
      item.name = unquoted(field.raw_json_token());
    } else if (key == "namespace") {
      item.name_space = unquoted(field.raw_json_token());
    } else if (key == "labels") {
      return read_object(field, item.labels);
    } else if (key == "deletionTimestamp") {
      item.is_being_deleted = !unquoted(field.raw_json_token()).empty();
    }
    return SUCCESS;
  });
}

// Walks over the top of one item and its metadata; everything else is skipped, not built.
error_code read_item(ondemand::value value, RawItem& item) {
  ondemand::object object;
  if (const error_code error = value.get_object().get(object)) {
    return error;
  }
  bool has_kind = false;
  bool has_version = false;
  const error_code error = each_field(object, [&](std::string_view key, ondemand::value field) {
    has_kind = has_kind || key == "kind";
    has_version = has_version || key == "apiVersion";
    return key == "metadata" ? read_item_metadata(field, item) : SUCCESS;
  });
  if (error != SUCCESS) {
    return error;
  }
  item.has_type = has_kind && has_version;
  if (const error_code again = object.reset().error()) {
    return again;
  }
  if (const error_code raw = object.raw_json().get(item.json)) {
    return raw;
  }
  item.json = trim(item.json);
  return SUCCESS;
}

}  // namespace

// Fills a page from the fields of a list. The parser does not look into what it skips, so the text has been checked as
// a whole before.
class RawPageReader {
 public:
  explicit RawPageReader(RawPage& page) : page_(page) {}

  error_code read(ondemand::object list) {
    return each_field(list, [&](std::string_view key, ondemand::value value) {
      if (key == "kind") {
        return read_text(value, page_.kind_);
      }
      if (key == "apiVersion") {
        return read_text(value, page_.api_version_);
      }
      if (key == "metadata") {
        return read_metadata(value);
      }
      return key == "items" ? read_items(value) : SUCCESS;
    });
  }
  bool has_items() const { return has_items_; }

 private:
  error_code read_metadata(ondemand::value value) {
    ondemand::object metadata;
    if (value.get_object().get(metadata) != SUCCESS) {
      return SUCCESS;  // null
    }
    return each_field(metadata, [&](std::string_view key, ondemand::value field) {
      if (key == "resourceVersion") {
        return read_text(field, page_.resource_version_);
      }
      if (key == "continue") {
        return read_text(field, page_.continue_token_);
      }
      std::int64_t number = 0;
      if (key == "remainingItemCount" && field.get_int64().get(number) == SUCCESS) {
        page_.remaining_ = number;
      }
      return SUCCESS;
    });
  }

  error_code read_items(ondemand::value value) {
    has_items_ = true;
    bool is_null = false;
    if (value.is_null().get(is_null) == SUCCESS && is_null) {
      return SUCCESS;  // how Go writes an empty list at times
    }
    ondemand::array items;
    if (const error_code error = value.get_array().get(items)) {
      return error;
    }
    for (auto element : items) {
      ondemand::value item_value;
      RawItem item;
      if (const error_code error = element.get(item_value)) {
        return error;
      }
      if (const error_code error = read_item(item_value, item)) {
        return error;
      }
      page_.items_.push_back(item);
    }
    return SUCCESS;
  }

  RawPage& page_;
  bool has_items_ = false;
};

Result<RawPage> RawPage::slice(std::string body) {
  RawPage page;
  page.body_ = std::make_unique<std::string>(std::move(body));
  std::string& text = *page.body_;
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  const auto damaged = [](error_code error) {
    return fail(Code::kDataLoss, std::string("a list page is damaged: ") + simdjson::error_message(error));
  };
  simdjson::dom::parser checker;
  if (const error_code error = checker.parse(text.data(), text.size(), false).error()) {
    return damaged(error);
  }
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object list;
  if (const error_code error = parser.iterate(text.data(), text.size(), text.capacity()).get(document)) {
    return damaged(error);
  }
  if (const error_code error = document.get_object().get(list)) {
    return damaged(error);
  }
  RawPageReader reader(page);
  if (const error_code error = reader.read(list)) {
    return damaged(error);
  }
  if (!reader.has_items()) {
    return fail(Code::kDataLoss, "the answer is not a list: it has no items");
  }
  page.kind_ = std::string(strip_suffix(page.kind_, "List").value_or(page.kind_));
  const bool all_typed = std::ranges::all_of(page.items_, &RawItem::has_type);
  if (!all_typed && (!is_plain(page.api_version_) || !is_plain(page.kind_))) {
    return fail(Code::kDataLoss, "a list page does not say of what kind its objects are");
  }
  return page;
}

void RawPage::append_object(const RawItem& item, std::string& to) const {
  if (item.has_type) {
    to += item.json;
    return;
  }
  to += R"({"apiVersion":")" + api_version_ + R"(","kind":")" + kind_ + "\"";
  const std::string_view rest = trim(item.json.substr(1));
  to += rest.starts_with('}') ? "" : ",";
  to += rest;
}

}  // namespace landfall::kube
