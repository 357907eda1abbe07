#include "restore/journal_lines.h"

#include <array>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/kinds.h"

namespace landfall::restore {
namespace {

using progress::Outcome;

constexpr std::array kOutcomes = {Outcome::kCreated, Outcome::kUpdated, Outcome::kUnchanged, Outcome::kSkipped,
                                  Outcome::kFailed};
constexpr std::array kListed = {Listed::kNot, Listed::kCreated, Listed::kUpdated, Listed::kFailed, Listed::kSkipped};

json::Json findings_json(const std::vector<Finding>& findings) {
  json::Json list = json::Json::array();
  for (const Finding& one : findings) {
    list.push_back(json::Json::array({one.is_error, one.place == Finding::Place::kRun, one.name_space, one.text}));
  }
  return list;
}

// A line's elements by place, empty where there are none.
class Line {
 public:
  explicit Line(const json::Json& document) : document_(document) {}

  std::string text(std::size_t at) const {
    return is_there(at) && document_[at].is_string() ? document_[at].get<std::string>() : std::string();
  }
  bool flag(std::size_t at) const { return is_there(at) && document_[at].is_boolean() && document_[at].get<bool>(); }
  const json::Json* list(std::size_t at) const {
    return is_there(at) && document_[at].is_array() ? &document_[at] : nullptr;
  }
  const json::Json* object(std::size_t at) const {
    return is_there(at) && document_[at].is_object() ? &document_[at] : nullptr;
  }

 private:
  bool is_there(std::size_t at) const { return document_.is_array() && at < document_.size(); }
  const json::Json& document_;
};

template <class Value, std::size_t N>
Result<Value> by_name(const std::array<Value, N>& all, const std::string& name) {
  for (const Value value : all) {
    if (to_string(value) == name) return value;
  }
  return fail(Code::kDataLoss, "\"" + name + "\" is not known");
}

std::vector<Finding> read_findings(const json::Json* list) {
  std::vector<Finding> findings;
  if (list == nullptr) return findings;
  for (const json::Json& one : *list) {
    const Line line(one);
    findings.push_back({.is_error = line.flag(0),
                        .place = line.flag(1) ? Finding::Place::kRun : Finding::Place::kObject,
                        .name_space = line.text(2),
                        .text = line.text(3)});
  }
  return findings;
}

Status read_item(const Line& line, const archive::ArchiveIndex& index, Replay& replay) {
  const auto item = index.find(k8s::parse_group_resource(line.text(1)), line.text(2), line.text(3));
  if (!item) {
    return fail(Code::kDataLoss, line.text(1) + " " + line.text(2) + "/" + line.text(3) +
                                     " is in the journal, but not in the archive: it is not the archive that this "
                                     "restore began with");
  }
  ItemEnd end;
  TRY_ASSIGN(end.outcome, "outcome", by_name(kOutcomes, line.text(4)));
  TRY_ASSIGN(end.listed, "listed", by_name(kListed, line.text(5)));
  end.exists = line.flag(6);
  end.type = line.text(7);
  end.created_name = line.text(8);
  end.findings = read_findings(line.list(9));
  replay.items.emplace_back(item->number(), std::move(end));
  return {};
}

Status read_line(const json::Json& document, const archive::ArchiveIndex& index, Replay& replay) {
  const Line line(document);
  const std::string kind = line.text(0);
  if (kind == "item") return read_item(line, index, replay);
  if (kind == "namespace") {
    NamespaceEnd end{.name = line.text(1), .original = line.text(2), .error = line.text(4)};
    TRY_ASSIGN(end.outcome, "outcome", by_name(kOutcomes, line.text(3)));
    replay.namespaces.push_back(std::move(end));
  } else if (kind == "intent") {
    replay.intents.insert(line.text(1));
  } else if (kind == "provision") {
    replay.provisioned.insert(line.text(1));
  } else if (kind == "renamed") {
    replay.renamed[line.text(1)] = line.text(2);
  } else if (kind == "operation" && line.object(1) != nullptr) {
    TRY_ASSIGN(auto operations, "operation",
               operation::read_operations(json::Json::array({*line.object(1)}), operation::OperationOwner::kRestore));
    for (auto& one : operations) replay.operations.push_back(std::move(one));
  }
  return {};
}

}  // namespace

std::string item_line(const archive::IndexedItem& item, const ItemEnd& end) {
  json::Json line = json::Json::array({"item", to_string(item.resource()), std::string(item.namespace_name()),
                                       std::string(item.name()), std::string(to_string(end.outcome)),
                                       std::string(to_string(end.listed)), end.exists, end.type});
  if (!end.created_name.empty() || !end.findings.empty()) line.push_back(end.created_name);
  if (!end.findings.empty()) line.push_back(findings_json(end.findings));
  return json::dump(line);
}

std::string namespace_line(const NamespaceEnd& end) {
  return json::dump(
      json::Json::array({"namespace", end.name, end.original, std::string(to_string(end.outcome)), end.error}));
}

std::string provisioned_line(const std::string& volume) { return json::dump(json::Json::array({"provision", volume})); }

std::string renamed_line(const std::string& volume, const std::string& new_name) {
  return json::dump(json::Json::array({"renamed", volume, new_name}));
}

std::string operation_line(const operation::ItemOperation& operation) {
  const json::Json all = operation::to_json({operation}, operation::OperationOwner::kRestore);
  return json::dump(json::Json::array({"operation", all[0]}));
}

std::string begin_line() { return json::dump(json::Json::array({"begin"})); }

std::string hooks_line(const std::string& name_space, const std::string& pod) {
  return json::dump(json::Json::array({"hooks", name_space, pod}));
}

Result<Replay> replay(const std::vector<std::string>& lines, const archive::ArchiveIndex& index) {
  Replay result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = "line " + std::to_string(i + 1) + " of the journal";
    const auto document = json::parse(lines[i]);
    if (!document) return fail(Code::kDataLoss, where + ": " + document.error().message());
    TRY(where, read_line(*document, index, result));
  }
  return result;
}

}  // namespace landfall::restore
