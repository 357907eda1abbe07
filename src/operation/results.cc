#include "operation/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "json/access.h"
#include "json/json.h"

namespace landfall::operation {
namespace {

using json::Json;

}  // namespace

void ResultList::add(Place& place, std::string message) {
  ++place.count;
  if (place.kept.size() < kMaxKept) place.kept.push_back(std::move(message));
}

void ResultList::add_to_namespace(const std::string& name_space, std::string message) {
  add(name_space.empty() ? cluster_ : namespaces_[name_space], std::move(message));
}

std::int64_t ResultList::count() const {
  std::int64_t all = run_.count + cluster_.count;
  for (const auto& [name, place] : namespaces_) all += place.count;
  return all;
}

void ResultList::merge(Place& place, const Place& other) {
  const std::int64_t unseen = other.count - static_cast<std::int64_t>(other.kept.size());
  for (const std::string& message : other.kept) add(place, message);
  place.count += unseen;
}

void ResultList::merge(const ResultList& other) {
  merge(run_, other.run_);
  merge(cluster_, other.cluster_);
  for (const auto& [name, place] : other.namespaces_) merge(namespaces_[name], place);
}

Json ResultList::texts(const Place& place) {
  Json list = place.kept;
  const std::int64_t more = place.count - static_cast<std::int64_t>(place.kept.size());
  if (more > 0) list.push_back(fmt::format("and {} more, which are in the log", more));
  return list;
}

Json ResultList::to_json() const {
  Json out = Json::object();
  if (run_.count > 0) out["velero"] = texts(run_);
  if (cluster_.count > 0) out["cluster"] = texts(cluster_);
  for (const auto& [name, place] : namespaces_) out["namespaces"][name] = texts(place);
  return out;
}

Status ResultList::read(const Json& document, std::string_view name, Place& place) {
  if (document.is_null()) return {};
  if (!document.is_array()) return fail(Code::kDataLoss, fmt::format("{}: expected a list", name));
  for (const Json& message : document) {
    if (!message.is_string()) return fail(Code::kDataLoss, fmt::format("{}: expected texts", name));
    add(place, message.get<std::string>());
  }
  return {};
}

Result<ResultList> ResultList::from_json(const Json& document) {
  ResultList out;
  if (document.is_null()) return out;
  if (!document.is_object()) return fail(Code::kDataLoss, "expected an object");
  if (const Json* run = json::find(document, {"velero"})) TRY("", read(*run, "velero", out.run_));
  if (const Json* cluster = json::find(document, {"cluster"})) TRY("", read(*cluster, "cluster", out.cluster_));
  const Json* namespaces = json::find(document, {"namespaces"});
  if (namespaces == nullptr) return out;
  if (!namespaces->is_object()) return fail(Code::kDataLoss, "namespaces: expected an object");
  for (const auto& [name, messages] : namespaces->items()) {
    TRY("namespaces", read(messages, name, out.namespaces_[name]));
  }
  return out;
}

Json Results::to_json() const { return {{"errors", errors.to_json()}, {"warnings", warnings.to_json()}}; }

Result<Results> Results::from_json(const Json& document) {
  if (!document.is_object()) return fail(Code::kDataLoss, "results: expected an object of errors and warnings");
  static const Json kNothing;
  const Json* errors = json::find(document, {"errors"});
  const Json* warnings = json::find(document, {"warnings"});
  Results out;
  TRY_ASSIGN(out.errors, "results: errors", ResultList::from_json(errors == nullptr ? kNothing : *errors));
  TRY_ASSIGN(out.warnings, "results: warnings", ResultList::from_json(warnings == nullptr ? kNothing : *warnings));
  return out;
}

}  // namespace landfall::operation
