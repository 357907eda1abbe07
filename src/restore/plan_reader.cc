#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/quote.h"
#include "json/json.h"
#include "restore/plan_document.h"

namespace landfall::restore {
namespace {

using json::Json;

constexpr std::uint64_t kMaxText = std::uint64_t{512} << 20U;
constexpr std::uint64_t kMaxValueText = std::uint64_t{1} << 20U;  // from one value to the next
constexpr std::size_t kMaxMemory = std::size_t{128} << 20U;       // of what is made of it: two million items
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kPiece = 64UL * 1024;

// The bytes of the document one after the other, a piece of them in memory. Ends early when there is an error.
class Text {
 public:
  explicit Text(io::Reader& from) : from_(from), piece_(kPiece) {}

  bool is_at_end() { return at_ == end_ && !fill(); }
  char current() const { return piece_[at_]; }
  void advance() { ++at_; }
  std::uint64_t offset() const { return before_ + at_; }
  // Texts between two of these are short.
  void saw_value() { last_value_ = offset(); }
  const std::optional<Error>& error() const { return error_; }

 private:
  bool fill() {
    if (has_ended_) return false;
    before_ += end_;
    at_ = end_ = 0;
    const auto got = from_.read(piece_);
    has_ended_ = !got || *got == 0;
    if (!got) error_ = got.error();
    if (has_ended_) return false;
    if (before_ + *got > kMaxText) return refuse(Code::kTooLarge, "the document has more than 512 MiB");
    if (before_ - std::min(before_, last_value_) > kMaxValueText) {
      return refuse(Code::kDataLoss, "a text of more than a MiB");
    }
    const auto piece = std::string_view(piece_.data(), *got);
    // nlohmann takes it for the end of the text.
    if (piece.find('\0') != std::string_view::npos) return refuse(Code::kDataLoss, "a NUL byte is not allowed in JSON");
    end_ = *got;
    return true;
  }
  bool refuse(Code code, std::string_view what) {
    error_ = Error(code, fmt::format("byte {}: {}", before_, what));
    has_ended_ = true;
    return false;
  }

  io::Reader& from_;
  std::vector<char> piece_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t before_ = 0;  // bytes before the piece
  std::uint64_t last_value_ = 0;
  bool has_ended_ = false;
  std::optional<Error> error_;
};

// What nlohmann reads from. Without a text it is the end of any.
class TextIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit TextIterator(Text* text) : text_(text) {}
  char operator*() const { return text_->current(); }
  TextIterator& operator++() {
    text_->advance();
    return *this;
  }
  friend bool operator==(const TextIterator& a, const TextIterator& b) { return a.is_end() == b.is_end(); }

 private:
  bool is_end() const { return text_ == nullptr || text_->is_at_end(); }
  Text* text_;
};

// Where in the document we are: in which object or list.
enum class Level {
  kTop,
  kNamespaces,
  kNamespace,
  kResources,
  kResource,
  kByNamespace,
  kItems,
  kItem,
  kNotSelectedList,
  kNotSelected,
  kNames,
  kUnknown,
};

std::string_view name_of(Level level) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"", "namespaces", "namespaces[]", "resources", "resources[]", "resources[].itemsByNamespace",
       "resources[].itemsByNamespace.*", "resources[].itemsByNamespace.*[]", "notSelected", "notSelected[]",
       "notSelected[].names", ""});
  return kNames.at(static_cast<std::size_t>(level));
}

struct OpensList {
  Level level;
};
struct OpensObject {
  Level level;
};
// What may stand at a place: nothing that we know, or a value that goes there.
using Slot = std::variant<std::monostate, std::string*, std::int64_t*, bool*, OpensList, OpensObject>;

std::string_view expected_at(const Slot& slot) {
  static constexpr auto kWords =
      std::to_array<std::string_view>({"anything", "a text", "a number", "true or false", "a list", "an object"});
  return kWords.at(slot.index());
}

std::optional<Prediction> parse_prediction(std::string_view word) {
  for (const auto one : {Prediction::kCreate, Prediction::kUpdate, Prediction::kUnchanged, Prediction::kConflict,
                         Prediction::kSkip, Prediction::kFail}) {
    if (to_string(one) == word) return one;
  }
  return std::nullopt;
}

// Makes the plan from the events of the parser, whatever the order of members. False ends the parsing.
class Builder {
 public:
  explicit Builder(Text& text) : text_(text) {}

  // The names and signatures are those that sax_parse calls.
  bool null() {
    return scalar<std::monostate>("null", [](auto) {});
  }
  bool boolean(bool value) {
    return scalar<bool*>("true or false", [&](bool* slot) { *slot = value; });
  }
  bool number_integer(std::int64_t /*negative*/) { return no_count(); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return no_count();
    return scalar<std::int64_t*>("a number", [&](std::int64_t* slot) { *slot = static_cast<std::int64_t>(value); });
  }
  bool number_float(double /*value*/, const std::string& /*text*/) { return no_count(); }
  bool string(std::string& value) {
    return scalar<std::string*>("a text", [&](std::string* slot) { slot->assign(value); });
  }
  bool binary(Json::binary_t& /*value*/) { return false; }  // no JSON text has one
  bool key(const std::string& key) {
    text_.saw_value();
    key_.assign(key);
    return true;
  }
  bool start_object(std::size_t /*size*/) { return open<OpensObject>("an object"); }
  bool start_array(std::size_t /*size*/) { return open<OpensList>("a list"); }
  bool end_array() { return close(); }
  bool end_object() { return close(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) {
    return refuse("this is not JSON, or not all of it");
  }

  Result<Plan> take() {
    if (error_) return fail("", *error_);
    if (format_version_ != 1) return fail(Code::kDataLoss, "it has no formatVersion: this is no plan");
    return std::move(plan_);
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  static constexpr std::int64_t kNotGiven = -1;

  struct Item {
    std::string name;
    std::string target;
    std::string prediction;
    std::string reason;
  };

  bool refuse(std::string_view what, Code code = Code::kDataLoss) {
    error_ = Error(code, fmt::format("byte {}: {}", text_.offset(), what));
    return false;
  }
  bool refuse_type(const Slot& slot, std::string_view got) {
    const std::string_view level = name_of(levels_.empty() ? Level::kTop : levels_.back());
    const bool is_member = !levels_.empty() && is_object(levels_.back());
    return refuse(fmt::format("{}{}{}: expected {}, got {}", level, is_member && !level.empty() ? "." : "",
                              is_member ? quote(key_) : "", expected_at(slot), got));
  }
  bool charge(std::size_t bytes) {
    memory_ += bytes;
    return memory_ <= kMaxMemory || refuse("the plan is too large", Code::kTooLarge);
  }
  static bool is_object(Level level) {
    switch (level) {
      case Level::kTop:
      case Level::kNamespace:
      case Level::kResource:
      case Level::kByNamespace:
      case Level::kItem:
      case Level::kNotSelected:
        return true;
      default:
        return false;
    }
  }

  // Where the value goes that comes next.
  Slot slot() {
    if (levels_.empty()) return OpensObject{Level::kTop};
    switch (levels_.back()) {
      case Level::kTop:
        return slot_of_plan();
      case Level::kNamespaces:
        return OpensObject{Level::kNamespace};
      case Level::kNamespace:
        return slot_of(plan_.namespaces.back());
      case Level::kResources:
        return OpensObject{Level::kResource};
      case Level::kResource:
        return slot_of(plan_.resources.back());
      case Level::kByNamespace:
        return OpensList{Level::kItems};
      case Level::kItems:
        return OpensObject{Level::kItem};
      case Level::kItem:
        return slot_of(item_);
      case Level::kNotSelectedList:
        return OpensObject{Level::kNotSelected};
      case Level::kNotSelected:
        return slot_of(plan_.not_selected.back());
      case Level::kNames:
        return &text_value_;
      case Level::kUnknown:
        break;
    }
    return std::monostate();
  }
  Slot slot_of_plan() {
    if (key_ == "formatVersion") return &format_version_;
    if (key_ == "restore") return &plan_.restore;
    if (key_ == "restoreUID") return &plan_.restore_uid;
    if (key_ == "backup") return &plan_.backup;
    if (key_ == "preview") return &plan_.is_preview;
    if (key_ == "itemsInBackup") return &plan_.items_in_backup;
    if (key_ == "backupTotalItems") return &plan_.total_of_backup;
    if (key_ == "totalItems") return &total_;
    if (key_ == "itemsNotSelected") return &not_selected_;
    if (key_ == "namespaces") return OpensList{Level::kNamespaces};
    if (key_ == "resources") return OpensList{Level::kResources};
    if (key_ == "notSelected") return OpensList{Level::kNotSelectedList};
    return std::monostate();
  }
  Slot slot_of(PlannedNamespace& one) const {
    if (key_ == "name") return &one.name;
    if (key_ == "original") return &one.original;
    if (key_ == "inBackup") return &one.is_in_backup;
    return std::monostate();
  }
  Slot slot_of(PlannedResource& one) {
    if (key_ == "resource") return &text_value_;
    if (key_ == "version") return &one.version;
    if (key_ == "kind") return &one.kind;
    if (key_ == "namespaced") return &one.is_namespaced;
    if (key_ == "fromVersion") return &one.from_version;
    if (key_ == "totalItems") return &resource_total_;
    if (key_ == "itemsByNamespace") return OpensObject{Level::kByNamespace};
    return std::monostate();
  }
  Slot slot_of(Item& item) const {
    if (key_ == "targetNamespace") return &item.target;
    if (key_ == "name") return &item.name;
    if (key_ == "prediction") return &item.prediction;
    if (key_ == "reason") return &item.reason;
    return std::monostate();
  }
  Slot slot_of(NotSelected& one) {
    if (key_ == "reason") return &one.reason;
    if (key_ == "resource") return &text_value_;
    if (key_ == "namespace") return &one.original_namespace;
    if (key_ == "names") return OpensList{Level::kNames};
    return std::monostate();
  }

  bool no_count() {
    return scalar<std::monostate>("a number that is no count", [](auto) {});
  }

  // A value of the kind that goes to a T.
  template <class T, class Set>
  bool scalar(std::string_view got, const Set& set) {
    text_.saw_value();
    const Slot to = slot();
    if (std::holds_alternative<std::monostate>(to)) return true;
    // As in Go, null leaves a member as it is.
    if (got == "null" && !levels_.empty() && is_object(levels_.back())) return true;
    const T* place = std::get_if<T>(&to);
    if (place == nullptr) return refuse_type(to, got);
    set(*place);
    return settle();
  }

  // A scalar of ours has come.
  bool settle() {
    if (levels_.back() == Level::kNames) {
      plan_.not_selected.back().names.push_back(text_value_);
      return charge(sizeof(std::string) + text_value_.size());
    }
    if (levels_.back() == Level::kTop && key_ == "formatVersion" && format_version_ != 1) {
      return refuse(fmt::format("formatVersion {}: a newer release of Landfall has written it", format_version_),
                    Code::kUnsupported);
    }
    if (levels_.back() == Level::kResource && key_ == "resource") {
      plan_.resources.back().resource = k8s::parse_group_resource(text_value_);
    }
    if (levels_.back() == Level::kNotSelected && key_ == "resource") {
      plan_.not_selected.back().resource = k8s::parse_group_resource(text_value_);
    }
    return true;
  }

  template <class Opens>
  bool open(std::string_view got) {
    text_.saw_value();
    if (levels_.size() >= kMaxDepth) return refuse("nested too deep");
    const Slot to = slot();
    if (std::holds_alternative<std::monostate>(to)) {
      levels_.push_back(Level::kUnknown);
      return true;
    }
    const Opens* place = std::get_if<Opens>(&to);
    if (place == nullptr) return refuse_type(to, got);
    levels_.push_back(place->level);
    return begin(place->level);
  }

  bool begin(Level level) {
    switch (level) {
      case Level::kNamespace:
        plan_.namespaces.emplace_back();
        return charge(sizeof(PlannedNamespace));
      case Level::kResource:
        plan_.resources.emplace_back();
        resource_total_ = kNotGiven;
        return charge(sizeof(PlannedResource));
      case Level::kNotSelected:
        plan_.not_selected.emplace_back();
        return charge(sizeof(NotSelected));
      case Level::kItems:
        namespace_ = key_;
        is_new_group_ = true;
        return true;
      case Level::kItem:
        item_ = {};
        return true;
      default:
        return true;
    }
  }

  bool close() {
    text_.saw_value();
    const Level level = levels_.back();
    levels_.pop_back();
    switch (level) {
      case Level::kTop:
        return end_plan();
      case Level::kNamespace:
        return end_namespace(plan_.namespaces.back());
      case Level::kResource:
        return end_resource(plan_.resources.back());
      case Level::kItem:
        return end_item(plan_.resources.back().groups);
      case Level::kNotSelected:
        return end_not_selected(plan_.not_selected.back());
      default:
        return true;
    }
  }

  bool end_plan() {
    return agree("totalItems", total_, plan_.total()) &&
           agree("itemsNotSelected", not_selected_, plan_.not_selected_total());
  }
  bool agree(std::string_view field, std::int64_t said, std::int64_t counted) {
    if (said == kNotGiven || said == counted) return true;
    return refuse(fmt::format("{} says {}, but there are {}", field, said, counted));
  }
  bool end_namespace(const PlannedNamespace& one) {
    if (one.name.empty()) return refuse("namespaces[]: without a name");
    return charge(one.name.size() + one.original.size());
  }
  bool end_resource(const PlannedResource& one) {
    // A kind that the cluster does not know has no version and no name there.
    if (one.resource.resource.empty()) return refuse("resources[]: without a resource");
    return agree("resources[].totalItems", resource_total_, one.total()) &&
           charge(one.resource.group.size() + one.version.size() + one.kind.size() + one.from_version.size());
  }
  bool end_not_selected(const NotSelected& one) {
    if (one.resource.resource.empty()) return refuse("notSelected[]: without a resource");
    return charge(one.original_namespace.size() + one.reason.size() + one.resource.group.size());
  }

  bool end_item(std::vector<PlannedGroup>& groups) {
    if (item_.name.empty()) return refuse(fmt::format("{}: without a name", name_of(Level::kItem)));
    if (is_new_group_ || groups.back().target_namespace != item_.target) {
      groups.push_back({.original_namespace = namespace_, .target_namespace = item_.target});
      is_new_group_ = false;
      if (!charge(sizeof(PlannedGroup) + namespace_.size() + item_.target.size())) return false;
    }
    PlannedGroup& group = groups.back();
    if (item_.prediction.empty() ? !group.forecasts.empty() : group.forecasts.size() != group.names.size()) {
      return refuse("some items of a namespace have a prediction and others do not");
    }
    group.names.push_back(item_.name);
    if (!charge(sizeof(std::string) + item_.name.size())) return false;
    if (item_.prediction.empty()) return true;
    const auto prediction = parse_prediction(item_.prediction);
    if (!prediction) return refuse(fmt::format("prediction: there is no {}", quote(item_.prediction)));
    group.forecasts.push_back({*prediction, item_.reason});
    return charge(sizeof(PlannedGroup::Forecast) + item_.reason.size());
  }

  Text& text_;
  Plan plan_;
  std::vector<Level> levels_;
  std::string key_;
  std::string text_value_;
  std::string namespace_;  // of the items that come
  bool is_new_group_ = false;
  Item item_;
  std::int64_t format_version_ = 0;
  std::int64_t total_ = kNotGiven;
  std::int64_t not_selected_ = kNotGiven;
  std::int64_t resource_total_ = kNotGiven;
  std::size_t memory_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Plan> read_plan(io::Reader& from) {
  Text text(from);
  Builder builder(text);
  const bool is_whole = Json::sax_parse(TextIterator(&text), TextIterator(nullptr), &builder);
  // What stopped the text looks like its end to the parser.
  if (text.error()) return fail("read the plan", *text.error());
  if (!is_whole && !builder.error()) return fail(Code::kDataLoss, "read the plan: this is not JSON");
  TRY_ASSIGN(Plan plan, "read the plan", builder.take());
  return plan;
}

}  // namespace landfall::restore
