#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/patch.h"

namespace landfall::json {
namespace {

// A JSON pointer, decoded. What stands before the first slash is ignored, as Go's json-patch does.
using Pointer = std::vector<std::string>;

std::string decode_key(std::string_view key) {
  std::string out;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char next = i + 1 < key.size() ? key[i + 1] : '\0';
    if (key[i] == '~' && (next == '0' || next == '1')) {
      out += next == '0' ? '~' : '/';
      ++i;
    } else {
      out += key[i];
    }
  }
  return out;
}

Result<Pointer> parse_pointer(std::string_view text) {
  Pointer keys;
  auto slash = text.find('/');
  if (slash == std::string_view::npos && !text.empty()) return fail(Code::kNotFound, "the path has to start with /");
  while (slash != std::string_view::npos) {
    text.remove_prefix(slash + 1);
    slash = text.find('/');
    keys.push_back(decode_key(text.substr(0, slash)));
  }
  return keys;
}

// An index as Go's strconv.Atoi reads it: a sign and leading zeros are fine.
std::optional<std::int64_t> parse_number(std::string_view key) {
  if (key.starts_with('+')) {
    key.remove_prefix(1);
    if (key.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  return number;
}

// The index into a list where `positions` places can be named; a negative one counts from the end.
Result<std::size_t> parse_index(std::string_view key, std::size_t positions) {
  const auto number = parse_number(key);
  if (!number) return fail(Code::kInvalid, "the last key of the path must be an index: it leads into a list");
  const auto count = static_cast<std::int64_t>(positions);
  if (*number >= count || *number < -count) {
    return fail(Code::kInvalid, "the index is outside the list: " + std::to_string(*number));
  }
  return static_cast<std::size_t>(*number < 0 ? *number + count : *number);
}

tl::unexpected<Error> no_such_path(std::string_view context = "") {
  return fail(context, Error(Code::kNotFound, "the document has no such path"));
}

// How many values one patch may shift or look through. It stops a patch that spends its ten thousand operations on a
// list of a million elements.
constexpr std::size_t kMaxWork = 100'000'000;

struct Extent {
  std::size_t depth = 0;
  std::size_t values = 1;
};

Extent extent_of(const Json& document) {
  Extent extent;
  std::vector<std::pair<const Json*, std::size_t>> todo;
  if (document.is_structured()) todo.emplace_back(&document, 1);
  while (!todo.empty()) {
    const auto [value, depth] = todo.back();
    todo.pop_back();
    extent.depth = std::max(extent.depth, depth);
    extent.values += value->size();
    for (const Json& child : *value) {
      if (child.is_structured()) todo.emplace_back(&child, depth + 1);
    }
  }
  return extent;
}

// One run over a copy of the document.
class Patcher {
 public:
  Patcher(Json document, const JsonPatchOptions& options) : root_(std::move(document)), options_(options) {}

  Status apply(const Json& operation) {
    const std::string kind = string_or(operation, {"op"}, "");
    TRY_ASSIGN(const Pointer path, "path", pointer_at(operation, "path"));
    if (kind == "add") return add(path, value_of(operation));
    if (kind == "remove") return remove(path);
    if (kind == "replace") return replace(path, value_of(operation));
    if (kind == "test") return test(path, operation);
    if (kind == "move" || kind == "copy") {
      TRY_ASSIGN(const Pointer from, "from", pointer_at(operation, "from"));
      return kind == "move" ? move(from, path) : copy(from, path);
    }
    return fail(Code::kInvalid, "op must be add, remove, replace, move, copy or test");
  }

  Json take() { return std::move(root_); }

 private:
  bool is_lenient() const { return options_.dialect == PatchDialect::kApiServer; }

  static Result<Pointer> pointer_at(const Json& operation, std::string_view field) {
    const auto member = operation.find(field);
    if (member == operation.end() || !member->is_string()) return fail(Code::kInvalid, "missing, or not a string");
    return parse_pointer(member->get_ref<const std::string&>());
  }

  Result<Json> value_of(const Json& operation) const {
    const auto member = operation.find("value");
    if (member != operation.end()) return *member;
    if (is_lenient()) return Json();
    return fail(Code::kInvalid, "the value is missing");
  }

  // The object or list that holds the last key of the path.
  Result<Json*> parent_of(const Pointer& path) {
    if (path.empty()) return fail(Code::kInvalid, "the whole document cannot be the target of this operation");
    Json* here = &root_;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      if (here->is_object()) {
        const auto member = here->find(path[i]);
        if (member == here->end()) return no_such_path();
        here = &*member;
      } else {
        const auto index = parse_index(path[i], here->size());
        if (!index) return no_such_path();
        here = &(*here)[*index];
      }
      if (!here->is_structured()) return no_such_path();
    }
    return here;
  }

  // The value at a last key. A missing member of an object is nullptr, of a list it is an error.
  static Result<Json*> member_of(Json& parent, const std::string& key) {
    if (parent.is_object()) {
      const auto member = parent.find(key);
      return member == parent.end() ? nullptr : &*member;
    }
    TRY_ASSIGN(const std::size_t index, "", parse_index(key, parent.size()));
    return &parent[index];
  }

  Status spend(std::size_t work) {
    work_ += work;
    if (work_ <= kMaxWork) return {};
    return fail(Code::kTooLarge, "the operations of this patch touch too many values");
  }

  Status check_depth(const Pointer& path, const Json& value) {
    const Extent extent = extent_of(value);
    TRY("", spend(extent.values));
    if (path.size() + extent.depth <= options_.max_depth) return {};
    return fail(Code::kTooLarge,
                "the document would nest more than " + std::to_string(options_.max_depth) + " levels deep");
  }

  Status replace_document(Json value) {
    if (!value.is_structured()) return fail(Code::kInvalid, "the whole document can become an object or a list only");
    TRY("", check_depth({}, value));
    root_ = std::move(value);
    return {};
  }

  Status add(const Pointer& path, Result<Json> value) {
    TRY("", value);
    if (path.empty() && !is_lenient()) return replace_document(*std::move(value));
    TRY("", check_depth(path, *value));
    return insert(path, *std::move(value));
  }

  Status insert(const Pointer& path, Json value) {
    TRY_ASSIGN(Json * parent, "", parent_of(path));
    const std::string& key = path.back();
    if (parent->is_object()) {
      (*parent)[key] = std::move(value);
    } else if (key == "-") {
      parent->push_back(std::move(value));
    } else {
      TRY_ASSIGN(const std::size_t index, "", parse_index(key, parent->size() + 1));
      TRY("", spend(parent->size() - index));
      parent->insert(parent->begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
    }
    return {};
  }

  Status remove(const Pointer& path) {
    TRY_ASSIGN(Json * parent, "", parent_of(path));
    if (parent->is_object()) {
      if (parent->erase(path.back()) == 0) return no_such_path();
      return {};
    }
    TRY_ASSIGN(const std::size_t index, "", parse_index(path.back(), parent->size()));
    TRY("", spend(parent->size() - index));
    parent->erase(index);
    return {};
  }

  Status replace(const Pointer& path, Result<Json> value) {
    TRY("", value);
    if (path.empty()) return replace_document(*std::move(value));
    TRY("", check_depth(path, *value));
    TRY_ASSIGN(Json * parent, "", parent_of(path));
    TRY_ASSIGN(Json * member, "", member_of(*parent, path.back()));
    if (member != nullptr) {
      *member = *std::move(value);
    } else if (is_lenient()) {
      (*parent)[path.back()] = *std::move(value);
    } else {
      return no_such_path();
    }
    return {};
  }

  Status move(const Pointer& from, const Pointer& path) {
    TRY_ASSIGN(Json * parent, "from", parent_of(from));
    TRY_ASSIGN(Json * member, "from", member_of(*parent, from.back()));
    if (member == nullptr) return no_such_path("from");
    Json value = std::move(*member);
    TRY("from", remove(from));
    if (path.size() > from.size()) TRY("", check_depth(path, value));
    return insert(path, std::move(value));
  }

  Status copy(const Pointer& from, const Pointer& path) {
    TRY_ASSIGN(Json * parent, "from", parent_of(from));
    TRY_ASSIGN(const Json* member, "from", member_of(*parent, from.back()));
    if (member == nullptr && !is_lenient()) return no_such_path("from");
    Json value = member == nullptr ? Json() : *member;
    if (member != nullptr && !value.is_null()) copied_bytes_ += dump_go(value).size();
    if (copied_bytes_ > options_.max_copied_bytes) {
      return fail(Code::kTooLarge, "the copies of this patch add up to more than " +
                                       std::to_string(options_.max_copied_bytes) + " bytes");
    }
    TRY("", check_depth(path, value));
    return insert(path, std::move(value));
  }

  Status test(const Pointer& path, const Json& operation) {
    const auto given = operation.find("value");
    const Json expected = given == operation.end() ? Json() : *given;
    const Json* actual = &root_;
    if (!path.empty()) {
      TRY_ASSIGN(Json * parent, "", parent_of(path));
      TRY_ASSIGN(actual, "", member_of(*parent, path.back()));
    }
    const bool equal = actual == nullptr ? expected.is_null() : *actual == expected;
    if (!equal) return fail(Code::kConflict, "the value is not the expected one");
    return {};
  }

  Json root_;
  const JsonPatchOptions& options_;
  std::size_t copied_bytes_ = 0;
  std::size_t work_ = 0;
};

std::string name_of(std::size_t index, const Json& operation) {
  constexpr std::size_t kLongest = 200;
  std::string name = "operation " + std::to_string(index);
  const std::string* kind = find_string(operation, {"op"});
  const std::string* path = find_string(operation, {"path"});
  if (kind == nullptr || path == nullptr) return name;
  return name + " (" + kind->substr(0, kLongest) + " " + path->substr(0, kLongest) + ")";
}

}  // namespace

Result<Json> apply_json_patch(const Json& document, const Json& patch, const JsonPatchOptions& options) {
  if (!patch.is_array()) {
    return fail(Code::kInvalid, "a JSON patch must be a list of operations, got " + std::string(type_name(patch)));
  }
  if (patch.size() > options.max_operations) {
    return fail(Code::kTooLarge, "the JSON patch has " + std::to_string(patch.size()) + " operations, more than the " +
                                     std::to_string(options.max_operations) + " that are allowed");
  }
  if (!document.is_structured()) {
    return fail(Code::kInvalid, "only an object or a list can be patched, got " + std::string(type_name(document)));
  }
  Patcher patcher(document, options);
  std::size_t index = 0;
  for (const Json& operation : patch) {
    if (!operation.is_object()) {
      return fail(Code::kInvalid, "operation " + std::to_string(index) + ": expected an object, got " +
                                      std::string(type_name(operation)));
    }
    TRY(name_of(index, operation), patcher.apply(operation));
    ++index;
  }
  return patcher.take();
}

}  // namespace landfall::json
