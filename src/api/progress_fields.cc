#include "api/progress_fields.h"

#include <string>
#include <string_view>

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::api {

using json::Json;
using progress::ByteProgress;
using progress::ItemProgress;

namespace {

// The fields of one progress. Changes are made on a copy, so that a failure leaves the object as it was.
class Fields {
 public:
  static Result<Fields> of(const Json& object) {
    const Json* found = json::find(object, {"status", "progress"});
    if (found != nullptr && !found->is_object()) {
      return fail(Code::kInvalid, "status.progress: expected an object, got " + std::string(json::type_name(*found)));
    }
    return Fields(found == nullptr ? Json::object() : *found);
  }

  void set(const std::string& name, Json value) { fields_[name] = std::move(value); }
  void erase(const std::string& name) { fields_.erase(name); }

  void set_text(const std::string& name, std::string_view text) {
    text.empty() ? erase(name) : set(name, std::string(text));
  }
  void set_number(const std::string& name, std::optional<std::int64_t> number) {
    number ? set(name, *number) : erase(name);
  }
  void set_time(const std::string& name, std::optional<WallTime> time) {
    time ? set(name, format_rfc3339(*time)) : erase(name);
  }
  void set_stall(const std::optional<progress::Stall>& stall) {
    if (!stall) return erase("stalled");
    Json fields = {{"since", format_rfc3339(stall->since)}};
    if (!stall->reason.empty()) fields["reason"] = stall->reason;
    if (!stall->item.empty()) fields["item"] = stall->item;
    set("stalled", std::move(fields));
  }
  // What every progress has.
  template <class Progress>
  void set_pace(const Progress& progress) {
    set("step", std::string(progress::to_string(progress.step)));
    set_text("current", progress.current);
    set_time("estimatedCompletionTimestamp", progress.estimated_completion);
    set_stall(progress.stalled);
  }

  Status write_to(Json& object) && { return json::set_at(object, {"status", "progress"}, std::move(fields_)); }

 private:
  explicit Fields(Json fields) : fields_(std::move(fields)) {}
  Json fields_;
};

void set_items(Fields& fields, const ItemProgress& progress, const std::string& done) {
  fields.set_number("totalItems", progress.items.total);
  // Before there is a total, what was done would have nothing to be compared with.
  if (progress.items.total) {
    fields.set(done, progress.items.done);
  } else {
    fields.erase(done);
  }
  fields.set_number("itemsPerMinute", progress.items_per_minute);
  fields.set_pace(progress);
}

void set_selection(Fields& fields, const progress::ItemCounts& items) {
  // Before the archive is read it is not known.
  if (items.total || items.in_backup > 0) {
    fields.set("itemsInBackup", items.in_backup);
  } else {
    fields.erase("itemsInBackup");
  }
  if (!items.total) {
    for (const char* name : {"itemsNotSelected", "notSelected", "outcomes"}) fields.erase(name);
    return;
  }
  fields.set("itemsNotSelected", items.not_selected);
  fields.set("notSelected", items.not_selected_by_reason);
  fields.set("outcomes", {{"created", items.outcomes.created},
                          {"updated", items.outcomes.updated},
                          {"unchanged", items.outcomes.unchanged},
                          {"skipped", items.outcomes.skipped},
                          {"failed", items.outcomes.failed}});
}

std::optional<std::int64_t> number_at(const Json& fields, const json::Path& path) {
  const auto number = json::optional_int_at(fields, path);
  return number ? *number : std::nullopt;
}

std::optional<WallTime> time_at(const Json& fields, const json::Path& path) {
  const auto time = parse_rfc3339(json::string_or(fields, path, ""));
  return time ? std::optional(*time) : std::nullopt;
}

std::optional<progress::Stall> stall_of(const Json& fields) {
  const auto since = time_at(fields, {"stalled", "since"});
  if (!since) return std::nullopt;
  return progress::Stall{.since = *since,
                         .reason = json::string_or(fields, {"stalled", "reason"}, ""),
                         .item = json::string_or(fields, {"stalled", "item"}, "")};
}

template <class Progress>
void read_pace(const Json& fields, Progress& progress) {
  progress.current = json::string_or(fields, {"current"}, "");
  progress.estimated_completion = time_at(fields, {"estimatedCompletionTimestamp"});
  progress.stalled = stall_of(fields);
}

void read_selection(const Json& fields, progress::ItemCounts& items) {
  items.in_backup = json::int_or(fields, {"itemsInBackup"}, 0);
  items.not_selected = json::int_or(fields, {"itemsNotSelected"}, 0);
  const Json* reasons = json::find(fields, {"notSelected"});
  if (reasons != nullptr && reasons->is_object()) {
    for (const auto& [reason, count] : reasons->items()) {
      items.not_selected_by_reason[reason] = json::int_or(count, {}, 0);
    }
  }
  const auto outcome = [&](std::string_view name) { return json::int_or(fields, {"outcomes", name}, 0); };
  items.outcomes = {.created = outcome("created"),
                    .updated = outcome("updated"),
                    .unchanged = outcome("unchanged"),
                    .skipped = outcome("skipped"),
                    .failed = outcome("failed")};
  std::int64_t selected_of_backup = 0;
  if (!items.total || !json::has(fields, {"itemsInBackup"}) ||
      __builtin_sub_overflow(items.in_backup, items.not_selected, &selected_of_backup) ||
      __builtin_sub_overflow(*items.total, selected_of_backup, &items.not_in_backup)) {
    items.not_in_backup = 0;
  }
}

}  // namespace

Status set_backup_progress(Json& backup, const ItemProgress& progress) {
  TRY_ASSIGN(Fields fields, "", Fields::of(backup));
  set_items(fields, progress, "itemsBackedUp");
  return std::move(fields).write_to(backup);
}

Status set_restore_progress(Json& restore, const ItemProgress& progress) {
  TRY_ASSIGN(Fields fields, "", Fields::of(restore));
  set_items(fields, progress, "itemsRestored");
  set_selection(fields, progress.items);
  return std::move(fields).write_to(restore);
}

Status set_byte_progress(Json& object, const ByteProgress& progress) {
  TRY_ASSIGN(Fields fields, "", Fields::of(object));
  const auto count = [](const std::optional<ByteCount>& bytes) {
    return bytes ? std::optional(bytes->count()) : std::nullopt;
  };
  fields.set_number("totalBytes", count(progress.bytes.total));
  fields.set("bytesDone", progress.bytes.done.count());
  fields.set_number("bytesPerSecond", count(progress.bytes_per_second));
  fields.set_pace(progress);
  return std::move(fields).write_to(object);
}

std::optional<ItemProgress> read_item_progress(const Json& object) {
  const Json* fields = json::find(object, {"status", "progress"});
  if (fields == nullptr || !fields->is_object()) return std::nullopt;
  ItemProgress result;
  result.items.total = number_at(*fields, {"totalItems"});
  result.items.done = json::int_or(*fields, {"itemsRestored"}, json::int_or(*fields, {"itemsBackedUp"}, 0));
  read_selection(*fields, result.items);
  result.items_per_minute = number_at(*fields, {"itemsPerMinute"});
  result.step = progress::parse_item_step(json::string_or(*fields, {"step"}, "")).value_or(result.step);
  read_pace(*fields, result);
  return result;
}

std::optional<ByteProgress> read_byte_progress(const Json& object) {
  const Json* fields = json::find(object, {"status", "progress"});
  if (fields == nullptr || !fields->is_object()) return std::nullopt;
  const auto bytes = [&](std::string_view name, std::string_view capitals = "") -> std::optional<ByteCount> {
    auto number = number_at(*fields, {name});
    if (!number && !capitals.empty()) number = number_at(*fields, {capitals});
    return number ? std::optional(ByteCount(*number)) : std::nullopt;
  };
  ByteProgress result;
  result.bytes.total = bytes("totalBytes", "TotalBytes");
  result.bytes.done = bytes("bytesDone", "BytesDone").value_or(ByteCount());
  // Others may be wrong about it: nobody is to see more than all.
  if (result.bytes.total && *result.bytes.total > ByteCount() && result.bytes.done > *result.bytes.total) {
    result.bytes.done = *result.bytes.total;
  }
  result.bytes_per_second = bytes("bytesPerSecond");
  // Who knows nothing of steps, and has a total, is past looking for it.
  const bool has_total = result.bytes.total && *result.bytes.total > ByteCount();
  result.step = progress::parse_byte_step(json::string_or(*fields, {"step"}, ""))
                    .value_or(has_total ? progress::ByteStep::kTransferring : result.step);
  read_pace(*fields, result);
  return result;
}

}  // namespace landfall::api
