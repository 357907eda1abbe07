#include "restore/plan_document.h"

#include <concepts>
#include <string>
#include <string_view>

#include "base/quote.h"

namespace landfall::restore {
namespace {

constexpr std::size_t kPiece = 64UL * 1024;

// JSON in the order in which it is asked for. Keeps the first error and writes nothing after it.
class Emitter {
 public:
  explicit Emitter(io::Writer& to) : to_(to) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  void key(std::string_view key) {
    separate();
    append_json_string(text_, key);
    text_ += ':';
    follows_ = false;
  }
  void value(std::string_view text) {
    separate();
    append_json_string(text_, text);
    if (text_.size() >= kPiece) flush();
  }
  void value(std::int64_t number) {
    separate();
    text_ += std::to_string(number);
  }
  void value(std::same_as<bool> auto is_so) {
    separate();
    text_ += is_so ? "true" : "false";
  }
  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  void member(std::string_view name, const char*) = delete;

  Status finish() {
    text_ += '\n';
    flush();
    return status_;
  }

 private:
  void begin(char bracket) {
    separate();
    text_ += bracket;
    follows_ = false;
  }
  void end(char bracket) {
    text_ += bracket;
    follows_ = true;
  }
  void separate() {
    if (follows_) text_ += ',';
    follows_ = true;
  }
  void flush() {
    if (status_) status_ = to_.write(text_);
    text_.clear();
  }

  io::Writer& to_;
  std::string text_;
  bool follows_ = false;  // something before it on its level
  Status status_;
};

void write_namespaces(const Plan& plan, Emitter& out) {
  out.key("namespaces");
  out.begin_array();
  for (const PlannedNamespace& one : plan.namespaces) {
    out.begin_object();
    out.member("name", one.name);
    out.member("original", one.original);
    out.member("inBackup", one.is_in_backup);
    out.end_object();
  }
  out.end_array();
}

void write_group(const PlannedGroup& group, Emitter& out) {
  out.key(group.original_namespace);
  out.begin_array();
  for (std::size_t i = 0; i < group.names.size(); ++i) {
    out.begin_object();
    out.member("targetNamespace", group.target_namespace);
    out.member("name", group.names[i]);
    if (i < group.forecasts.size()) {
      const PlannedGroup::Forecast& forecast = group.forecasts[i];
      out.member("prediction", to_string(forecast.prediction));
      if (!forecast.reason.empty()) out.member("reason", forecast.reason);
    }
    out.end_object();
  }
  out.end_array();
}

void write_resources(const Plan& plan, Emitter& out) {
  out.key("resources");
  out.begin_array();
  for (const PlannedResource& one : plan.resources) {
    out.begin_object();
    out.member("resource", to_string(one.resource));
    out.member("version", one.version);
    out.member("kind", one.kind);
    out.member("namespaced", one.is_namespaced);
    if (!one.from_version.empty()) out.member("fromVersion", one.from_version);
    out.member("totalItems", one.total());
    out.key("itemsByNamespace");
    out.begin_object();
    for (const PlannedGroup& group : one.groups) {
      if (!group.names.empty()) write_group(group, out);
    }
    out.end_object();
    out.end_object();
  }
  out.end_array();
}

void write_not_selected(const Plan& plan, Emitter& out) {
  out.key("notSelected");
  out.begin_array();
  for (const NotSelected& one : plan.not_selected) {
    out.begin_object();
    out.member("reason", one.reason);
    out.member("resource", to_string(one.resource));
    out.member("namespace", one.original_namespace);
    out.key("names");
    out.begin_array();
    for (const std::string& name : one.names) out.value(name);
    out.end_array();
    out.end_object();
  }
  out.end_array();
}

}  // namespace

Status write_plan(const Plan& plan, io::Writer& to) {
  Emitter out(to);
  out.begin_object();
  out.member("formatVersion", std::int64_t{1});
  out.member("restore", plan.restore);
  out.member("restoreUID", plan.restore_uid);
  out.member("backup", plan.backup);
  if (plan.is_preview) out.member("preview", true);
  out.member("itemsInBackup", plan.items_in_backup);
  out.member("backupTotalItems", plan.total_of_backup);
  out.member("totalItems", plan.total());
  out.member("itemsNotSelected", plan.not_selected_total());
  write_namespaces(plan, out);
  write_resources(plan, out);
  write_not_selected(plan, out);
  out.end_object();
  TRY("write the plan", out.finish());
  return {};
}

}  // namespace landfall::restore
