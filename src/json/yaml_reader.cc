#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "json/json.h"
#include "json/yaml.h"
#include "json/yaml_events.h"
#include "json/yaml_scalar.h"

namespace landfall::json {
namespace {

// What a node turned out to be, before its place decides between value and key.
struct Node {
  Json value;  // a scalar as resolve_scalar() has it
  bool is_alias = false;
};

// The values that anchors stand for. Each is kept as a copy, and copies are what the budget bounds: a value with many
// anchors inside each other costs as much as one that is aliased as often.
class Anchors {
 public:
  explicit Anchors(std::size_t& budget) : budget_(budget) {}

  // A node has begun. Until it is defined, an alias to its anchor would be a cycle.
  void open(std::string_view name) {
    if (!name.empty()) anchored_[std::string(name)] = std::nullopt;
  }

  Status define(std::string_view name, const Node& node) {
    if (name.empty()) return {};
    std::optional<Entry>& entry = anchored_[std::string(name)];
    if (entry) return {};  // an anchor of the same name inside this node is the later one
    const std::size_t cost = cost_of(node);
    TRY("", spend(cost));
    entry = Entry{.node = node, .cost = cost, .depth = depth_of(node.value)};
    return {};
  }

  Result<Node> resolve(std::string_view name, std::size_t room) {
    const auto found = anchored_.find(std::string(name));
    if (found == anchored_.end()) return fail(Code::kInvalid, "the alias names an unknown anchor");
    if (!found->second) return fail(Code::kInvalid, "the alias is inside the value that it stands for");
    if (found->second->depth > room) return fail(Code::kTooLarge, "the alias would nest the document too deep");
    TRY("", spend(found->second->cost));
    Node node = found->second->node;
    node.is_alias = true;
    return node;
  }

 private:
  struct Entry {
    Node node;
    std::size_t cost = 0;
    std::size_t depth = 0;
  };

  Status spend(std::size_t cost) {
    if (cost > budget_) return fail(Code::kTooLarge, "anchors and aliases make the document too large");
    budget_ -= cost;
    return {};
  }

  // Roughly the memory of a copy. Stops counting once the budget is passed.
  std::size_t cost_of(const Node& node) const {
    constexpr std::size_t kValue = 32;
    std::size_t cost = 0;
    std::vector<const Json*> todo{&node.value};
    while (!todo.empty() && cost <= budget_) {
      const Json& value = *todo.back();
      todo.pop_back();
      cost += kValue;
      if (const auto* text = value.get_ptr<const std::string*>()) cost += text->size();
      if (!value.is_structured()) continue;
      for (const auto& [key, child] : value.items()) {
        if (value.is_object()) cost += kValue + key.size();
        todo.push_back(&child);
      }
    }
    return cost;
  }

  std::size_t& budget_;  // left over, for all documents of the text together
  std::unordered_map<std::string, std::optional<Entry>> anchored_;
};

// A collection under construction.
class Frame {
 public:
  Frame(bool is_mapping, bool is_flow, std::string_view anchor)
      : is_mapping_(is_mapping),
        is_flow_(is_flow),
        anchor_(anchor),
        value_(is_mapping ? Json::object() : Json::array()) {}

  bool is_flow() const { return is_flow_; }
  bool wants_key() const { return is_mapping_ && !key_ && !merging_; }
  const std::string& anchor() const { return anchor_; }
  Json take() { return std::move(value_); }

  Status set_key(const Node& node, bool is_merge_key) {
    if (is_merge_key) {
      merging_ = true;
      return {};
    }
    TRY_ASSIGN(std::string key, "", scalar_to_key(node.value));
    // What << brought may be overridden, what stands here already may not.
    if (merged_.erase(key) == 0 && value_.contains(key))
      return fail(Code::kInvalid, "the key " + key + " appears twice");
    key_ = std::move(key);
    return {};
  }

  Status add(Node node) {
    if (merging_) {
      merging_ = false;
      return merge(node);
    }
    TRY_ASSIGN(Json value, "", scalar_to_json(std::move(node.value)));
    if (is_mapping_) {
      value_[*std::exchange(key_, std::nullopt)] = std::move(value);
    } else {
      value_.push_back(std::move(value));
    }
    return {};
  }

 private:
  // << takes a mapping or a list of them, of which the first has precedence.
  Status merge(const Node& node) {
    const auto want_mappings = [] { return fail(Code::kInvalid, "<< takes a mapping or a list of mappings"); };
    if (node.value.is_object()) {
      merge_object(node.value);
      return {};
    }
    if (!node.value.is_array() || node.is_alias) return want_mappings();
    const auto is_object = [](const Json& element) { return element.is_object(); };
    if (!std::all_of(node.value.begin(), node.value.end(), is_object)) return want_mappings();
    for (std::size_t i = node.value.size(); i > 0; --i) merge_object(node.value[i - 1]);
    return {};
  }

  void merge_object(const Json& other) {
    for (const auto& [key, member] : other.items()) {
      if (!value_.contains(key)) merged_.insert(key);
      value_[key] = member;
    }
  }

  bool is_mapping_;
  bool is_flow_;
  std::string anchor_;
  Json value_;
  std::optional<std::string> key_;
  bool merging_ = false;
  std::set<std::string> merged_;  // keys that came by << and may still be overridden
};

// What all documents of a text may use up together.
struct Budgets {
  std::size_t alias_bytes = 0;
  // libyaml takes time for each open [ or { with each token; this is a few seconds of it.
  std::size_t flow_steps = 200'000'000;
};

// Reads one document, from after its start to its end. Holds its own stack: the text does not decide ours.
class DocumentReader {
 public:
  DocumentReader(Events& events, const YamlLimits& limits, Budgets& budgets)
      : events_(events), limits_(limits), flow_budget_(budgets.flow_steps), anchors_(budgets.alias_bytes) {}

  Result<Json> read() {
    while (true) {
      Event event;
      TRY("", events_.next(event));
      if (event.type() == YAML_DOCUMENT_END_EVENT) return std::move(document_);
      if (flow_depth_ > flow_budget_) return fail(Code::kTooLarge, event.place() + ": too much is nested too deep");
      flow_budget_ -= flow_depth_;
      TRY(event.place(), handle(event));
    }
  }

 private:
  Status handle(const Event& event) {
    switch (event.type()) {
      case YAML_SCALAR_EVENT:
        return scalar(event);
      case YAML_ALIAS_EVENT: {
        TRY_ASSIGN(Node node, "", anchors_.resolve(event.anchor(), limits_.max_depth - stack_.size()));
        return place(std::move(node), false);
      }
      case YAML_SEQUENCE_START_EVENT:
      case YAML_MAPPING_START_EVENT:
        return open(event);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close();
      default:
        return fail(Code::kInternal, "unexpected YAML event");
    }
  }

  Status scalar(const Event& event) {
    Node node;
    if (event.tag().empty() && !event.is_plain()) {
      node.value = event.text();
    } else {
      TRY_ASSIGN(node.value, "", resolve_scalar(event.tag(), event.text()));
    }
    anchors_.open(event.anchor());
    TRY("", anchors_.define(event.anchor(), node));
    const bool is_merge_tag = event.tag() == "tag:yaml.org,2002:merge";
    const bool is_merge_key = event.text() == "<<" && (is_merge_tag || (event.tag().empty() && event.is_plain()));
    return place(std::move(node), is_merge_key);
  }

  Status open(const Event& event) {
    if (stack_.size() >= limits_.max_depth) {
      return fail(Code::kTooLarge, "nested more than " + std::to_string(limits_.max_depth) + " levels deep");
    }
    if (!stack_.empty() && stack_.back().wants_key()) return fail(Code::kInvalid, "a key must be a scalar");
    anchors_.open(event.anchor());
    stack_.emplace_back(event.type() == YAML_MAPPING_START_EVENT, event.is_flow(), event.anchor());
    if (event.is_flow()) ++flow_depth_;
    return {};
  }

  Status close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (frame.is_flow()) --flow_depth_;
    Node node;
    node.value = frame.take();
    TRY("", anchors_.define(frame.anchor(), node));
    return place(std::move(node), false);
  }

  Status place(Node node, bool is_merge_key) {
    if (stack_.empty()) {
      TRY_ASSIGN(document_, "", scalar_to_json(std::move(node.value)));
      return {};
    }
    Frame& parent = stack_.back();
    return parent.wants_key() ? parent.set_key(node, is_merge_key) : parent.add(std::move(node));
  }

  Events& events_;
  const YamlLimits& limits_;
  std::size_t& flow_budget_;
  std::size_t flow_depth_ = 0;
  Anchors anchors_;
  std::vector<Frame> stack_;
  Json document_;
};

// libyaml compares each %TAG directive with all before it.
bool has_too_many_directives(std::string_view text) {
  constexpr int kMost = 100;
  constexpr std::string_view kTag = "%TAG";
  int count = 0;
  for (auto at = text.find(kTag); at != std::string_view::npos; at = text.find(kTag, at + 1)) {
    const char before = at == 0 ? '\n' : text[at - 1];
    const bool starts_line = before == '\n' || before == '\r' || static_cast<unsigned char>(before) >= 0x80;
    if (starts_line && ++count > kMost) return true;
  }
  return false;
}

bool looks_like_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[' || text[first] == '"');
}

using Each = std::function<Status(Json document)>;

// Calls `each` for every document that is not empty, until it fails.
Status read_documents(std::string_view text, const YamlLimits& limits, const Each& each) {
  Events events(text);
  Budgets budgets{.alias_bytes = limits.max_alias_bytes};
  while (true) {
    Event event;
    TRY("", events.next(event));
    if (event.type() == YAML_STREAM_END_EVENT) return {};
    if (event.type() != YAML_DOCUMENT_START_EVENT) continue;
    TRY_ASSIGN(Json document, "", DocumentReader(events, limits, budgets).read());
    if (!document.is_null()) TRY(event.place(), each(std::move(document)));
  }
}

Status read_text(std::string_view text, const YamlLimits& limits, const Each& each) {
  if (text.size() > limits.max_bytes) {
    return fail(Code::kTooLarge, "the YAML text has " + std::to_string(text.size()) + " bytes, more than the " +
                                     std::to_string(limits.max_bytes) + " that are allowed");
  }
  // The mark that some editors put first.
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  // JSON has its own reader: not all of it is YAML 1.1 (pairs of \u escapes, for one).
  if (looks_like_json(text)) {
    auto document = parse(text, {.max_bytes = limits.max_bytes, .max_depth = limits.max_depth});
    if (document) return each(*std::move(document));
  }
  if (has_too_many_directives(text)) return fail(Code::kTooLarge, "the YAML text has too many %TAG directives");
  return read_documents(text, limits, each);
}

}  // namespace

Result<std::vector<Json>> parse_yaml_documents(std::string_view text, const YamlLimits& limits) {
  std::vector<Json> documents;
  TRY("", read_text(text, limits, [&](Json document) -> Status {
        documents.push_back(std::move(document));
        return {};
      }));
  return documents;
}

Result<Json> parse_yaml(std::string_view text, const YamlLimits& limits) {
  std::optional<Json> only;
  TRY("", read_text(text, limits, [&](Json document) -> Status {
        if (only) return fail(Code::kInvalid, "a second document starts here, expected one");
        only = std::move(document);
        return {};
      }));
  return only ? *std::move(only) : Json();
}

}  // namespace landfall::json
