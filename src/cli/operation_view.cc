#include "cli/operation_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/names.h"
#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli/describe_plugin_volumes.h"
#include "cli/operation_words.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "progress/format.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::TransferPhase;
using json::Json;
using progress::format_count;
using progress::format_duration;
using terminal::Span;
using terminal::Style;
using terminal::StyledLine;

namespace {

constexpr int kNarrowestBar = 10;
constexpr int kWidestBar = 30;
// A server that is alive says something by then, if only that it stalls.
constexpr Duration kSilence = std::chrono::minutes(2);

bool is_of_plugin(const Json& mover) {
  const std::string kind = json::string_or(mover, {"kind"}, "");
  return kind == api::kVolumePluginBackup.name || kind == api::kVolumePluginRestore.name;
}

// "shop/db-0 data" of a PodVolumeBackup or -Restore, "shop/data-db-0" of a DataUpload or -Download, "pv-1, snapshot s1"
// of a VolumePluginBackup or -Restore.
std::string volume_name(const Json& mover) {
  const std::string kind = json::string_or(mover, {"kind"}, "");
  const auto text = [&](const json::Path& path) { return json::string_or(mover, path, ""); };
  if (kind == api::kDataUpload.name) return text({"spec", "sourceNamespace"}) + "/" + text({"spec", "sourcePVC"});
  if (kind == api::kDataDownload.name) {
    return text({"spec", "targetVolume", "namespace"}) + "/" + text({"spec", "targetVolume", "pvc"});
  }
  if (is_of_plugin(mover)) return plugin_volume_name(mover);
  return text({"spec", "pod", "namespace"}) + "/" + text({"spec", "pod", "name"}) + " " + text({"spec", "volume"});
}

std::string phase_or_new(const Json& object) {
  std::string phase = api::status_text(object, api::field::kPhase);
  return phase.empty() ? "New" : phase;
}

VolumeView volume_of(const Json& mover, WallTime now) {
  return {.name = volume_name(mover),
          .phase = phase_or_new(mover),
          .message = api::status_text(mover, api::field::kMessage),
          .progress = is_of_plugin(mover) ? plugin_volume_progress(mover, now) : api::read_byte_progress(mover)};
}

std::string stall_text(const progress::Stall& stall, WallTime now) {
  std::string text = "stalled for " + format_duration(now - stall.since);
  if (!stall.reason.empty()) text += ": " + stall.reason;
  if (!stall.item.empty()) text += " (" + stall.item + ")";
  return text;
}

// Its line without what has a line of its own.
template <class Progress>
std::string calm_line(Progress progress, WallTime now) {
  progress.stalled.reset();
  return progress::format_line(progress, now);
}

int bar_width(int columns) { return std::clamp(columns / 4, kNarrowestBar, kWidestBar); }

StyledLine item_line(const progress::ItemProgress& progress, WallTime now, int columns) {
  StyledLine line;
  if (progress.items.total) {
    const std::string bar = progress::format_bar(progress.items.done, progress.items.total, bar_width(columns));
    line.push_back({bar + " ", Style::kGreen});
  }
  line.push_back({calm_line(progress, now)});
  return line;
}

void add_items(std::vector<StyledLine>& lines, const progress::ItemProgress& progress, WallTime now, int columns) {
  lines.push_back(item_line(progress, now, columns));
  const bool is_about_items =
      progress.step == progress::ItemStep::kRestoringItems || progress.step == progress::ItemStep::kBackingUpItems;
  if (progress.items.outcomes.sum() > 0) lines.push_back({{"  " + outcomes_text(progress.items.outcomes)}});
  // Other steps have it in their line.
  if (is_about_items && !progress.current.empty()) lines.push_back({{"  now " + progress.current, Style::kDim}});
  if (progress.stalled) lines.push_back({{"  " + stall_text(*progress.stalled, now), Style::kYellow}});
}

// Those that are under way, those that wait, those that failed.
int rank_of(const VolumeView& volume) {
  if (volume.is_failed()) return 2;
  return volume.progress && volume.progress->bytes.total ? 0 : 1;
}

StyledLine volume_line(const VolumeView& volume, WallTime now, int columns) {
  if (volume.is_failed()) {
    return {{"  " + volume.name + ": " + volume.phase + (volume.message.empty() ? "" : ": " + volume.message),
             Style::kRed}};
  }
  if (!volume.progress || !volume.progress->bytes.total) {
    return {{"  " + volume.name + ": " + volume.phase + (volume.message.empty() ? "" : ", " + volume.message)}};
  }
  const progress::ByteProgress& progress = *volume.progress;
  StyledLine line{
      {"  " + progress::format_bar(progress.bytes.done.count(), progress.bytes.total->count(), bar_width(columns)) +
           " ",
       Style::kGreen},
      {volume.name + ": " + calm_line(progress, now)}};
  if (progress.stalled) line.push_back({", " + stall_text(*progress.stalled, now), Style::kYellow});
  return line;
}

// Their bytes in all: ", 1.5 GiB/4.0 GiB"; without the total as long as some do not know theirs.
std::string bytes_text(const std::vector<VolumeView>& volumes) {
  ByteCount done;
  ByteCount total;
  bool is_known = true;
  for (const VolumeView& volume : volumes) {
    const auto& progress = volume.progress;
    if (progress) done += progress->bytes.done;
    if (progress && progress->bytes.total) total += *progress->bytes.total;
    is_known = is_known && (volume.is_over() || (progress && progress->bytes.total));
  }
  if (done == ByteCount() && total == ByteCount()) return "";
  if (is_known && done == total) return ", " + to_string(done);
  return is_known ? fmt::format(", {}/{}", to_string(done), to_string(total))
                  : fmt::format(", {} so far", to_string(done));
}

std::string volumes_text(const std::vector<VolumeView>& volumes) {
  const auto done = std::ranges::count_if(volumes, &VolumeView::is_over);
  const auto failed = std::ranges::count_if(volumes, &VolumeView::is_failed);
  return fmt::format("volumes {}/{} done{}{}", done, volumes.size(),
                     failed > 0 ? fmt::format(", {} failed", failed) : "", bytes_text(volumes));
}

void add_volumes(std::vector<StyledLine>& lines, const std::vector<VolumeView>& volumes, WallTime now, int columns) {
  if (volumes.empty()) return;
  lines.push_back({{volumes_text(volumes)}});
  std::vector<const VolumeView*> open;
  for (const VolumeView& volume : volumes) {
    if (!volume.is_over() || volume.is_failed()) open.push_back(&volume);
  }
  std::ranges::stable_sort(open, {}, [](const VolumeView* volume) { return rank_of(*volume); });
  for (const VolumeView* volume : open) lines.push_back(volume_line(*volume, now, columns));
}

// A text that has to be read to its end: over as many lines as it takes, broken between words.
void add_wrapped(std::vector<StyledLine>& lines, std::string_view text, Style style, int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns - 1, kNarrowestBar));
  const std::string safe = terminal::printable(text);
  std::string_view rest = safe;
  while (!rest.empty()) {
    std::string_view fits = terminal::fit_width(rest, width);
    const std::size_t space = fits.size() < rest.size() && rest[fits.size()] != ' ' ? fits.rfind(' ') : fits.size();
    if (space != std::string_view::npos && space > 0) fits = fits.substr(0, space);
    lines.push_back({{std::string(fits), style}});
    rest.remove_prefix(fits.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
}

std::string count_text(const OperationView& view) {
  std::vector<std::string> parts;
  if (view.warnings > 0) parts.push_back(counted(view.warnings, "warning", "warnings"));
  if (view.errors > 0) parts.push_back(counted(view.errors, "error", "errors"));
  return join(parts, ", ");
}

Json volume_document(const std::string& kind, const Json& mover) {
  Json document = {{"kind", kind},
                   {"name", std::string(k8s::ObjectView(mover).name())},
                   {"volume", volume_name(mover)},
                   {"phase", phase_or_new(mover)}};
  if (const auto progress = api::read_byte_progress(mover)) {
    if (progress->bytes.total) document["totalBytes"] = progress->bytes.total->count();
    document["bytesDone"] = progress->bytes.done.count();
  }
  return document;
}

}  // namespace

bool VolumeView::is_over() const {
  const auto known = api::parse_phase<TransferPhase>(phase);
  return known && api::is_final(*known);
}

bool VolumeView::is_failed() const {
  return phase == api::to_string(TransferPhase::kFailed) || phase == api::to_string(TransferPhase::kCanceled);
}

OperationView view_of(const OperationState& state, const Context& context) {
  const Json& operation = *state.operation;
  OperationView view{.title = fmt::format("{} {}", noun_of(operation).kind.name, k8s::ObjectView(operation).name()),
                     .phase = shown_phase(operation, context),
                     .is_over = is_over(operation),
                     .items = api::read_item_progress(operation),
                     .errors = api::status_count(operation, api::field::kErrors),
                     .warnings = api::status_count(operation, api::field::kWarnings),
                     .messages = state.messages,
                     .notice = state.notice,
                     .trouble = state.trouble};
  // Of a preview nothing is done: counts of what is would only frighten.
  if (json::bool_or(operation, {"spec", "preview"}, false)) {
    view.title = "Preview " + std::string(k8s::ObjectView(operation).name());
    view.items.reset();
  }
  if (const auto place = api::status_count(operation, api::field::kQueuePosition); place > 0) {
    view.phase += fmt::format(", place {} in the queue", place);
  }
  for (const auto& [name, mover] : state.volumes) view.volumes.push_back(volume_of(*mover, context.clock.wall_now()));
  const Duration silence = context.clock.now() - state.changed_at;
  const bool is_stalled = view.items && view.items->stalled;
  if (view.notice.empty() && silence >= kSilence && has_begun(operation) && !is_over(operation) && !is_stalled) {
    view.notice = "no news for " + format_duration(silence) + ": see whether the server is running";
  }
  return view;
}

std::vector<StyledLine> view_lines(const OperationView& view, WallTime now, int columns) {
  std::vector<StyledLine> lines;
  lines.push_back({{view.title, Style::kBold}, {": " + view.phase}});
  if (view.items) add_items(lines, *view.items, now, columns);
  if (const std::string counts = count_text(view); !counts.empty()) {
    lines.push_back({{"  " + counts, view.errors > 0 ? Style::kRed : Style::kYellow}});
  }
  for (const LogMessage& message : view.messages) {
    lines.push_back({{message.is_error ? "  error: " : "  warning: ", message.is_error ? Style::kRed : Style::kYellow},
                     {message.text}});
  }
  add_volumes(lines, view.volumes, now, columns);
  add_wrapped(lines, view.notice, Style::kYellow, columns);
  if (!view.trouble.empty()) add_wrapped(lines, "trying again: " + view.trouble, Style::kYellow, columns);
  return lines;
}

std::string view_text(const OperationView& view, WallTime now) {
  const std::string phase = view.is_over ? view.phase : "waiting (" + view.phase + ")";
  std::string text = view.title + ": " + (view.items ? progress::format_line(*view.items, now) : phase);
  if (!view.volumes.empty()) text += "; " + volumes_text(view.volumes);
  if (const std::string counts = count_text(view); !counts.empty()) text += "; " + counts;
  if (!view.notice.empty()) text += "; " + view.notice;
  if (!view.trouble.empty()) text += "; trying again: " + view.trouble;
  return text;
}

Json view_document(const OperationState& state, WallTime now) {
  const Json& operation = *state.operation;
  const k8s::ObjectView object(operation);
  Json document = {{"time", format_rfc3339(now)},
                   {"kind", std::string(noun_of(operation).kind.name)},
                   {"namespace", std::string(object.name_space())},
                   {"name", std::string(object.name())},
                   {"phase", phase_or_new(operation)},
                   {"isOver", is_over(operation)},
                   {"errors", api::status_count(operation, api::field::kErrors)},
                   {"warnings", api::status_count(operation, api::field::kWarnings)}};
  for (const char* name : {"progress", "canceled", "failureReason", "validationErrors"}) {
    if (const Json* value = json::find(operation, {"status", name})) document[name] = *value;
  }
  for (const auto& [key, mover] : state.volumes) {
    document["volumes"].push_back(volume_document(key.substr(0, key.find('/')), *mover));
  }
  for (const LogMessage& message : state.messages) {
    document["messages"].push_back({{"level", message.is_error ? "error" : "warning"}, {"text", message.text}});
  }
  if (!state.notice.empty()) document["notice"] = state.notice;
  if (!state.trouble.empty()) document["trouble"] = state.trouble;
  return document;
}

}  // namespace landfall::cli
