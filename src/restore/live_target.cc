#include "restore/live_target.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/labels.h"
#include "base/backoff.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "k8s/rest_path.h"
#include "kube/api_status.h"
#include "kube/resource.h"
#include "restore/error_hint.h"
#include "restore/existing_object.h"
#include "restore/object_reset.h"

namespace landfall::restore {
namespace {

using progress::Outcome;

constexpr std::string_view kFieldManager = "landfall";
constexpr Duration kPollInterval = std::chrono::milliseconds(500);
constexpr int kTriesAfterInternalError = 4;
// A new definition is served a moment after it says that it is established.
constexpr Duration kNewKindGrace = std::chrono::seconds(20);
// How long a change waits to be written down first. After that it is made all the same: a bucket that is away must not
// end a restore.
constexpr Duration kIntentDeadline = std::chrono::seconds(10);
// The same once that has failed: it is not waited for again and again.
constexpr Duration kIntentGlance = std::chrono::milliseconds(50);

bool is_passing(const Error& error) { return is_retryable(error.code()) || error.code() == Code::kTimeout; }

bool is_of_endpoint(const Error& error) {
  const auto* status = error.detail<kube::ApiStatus>();
  return error.code() == Code::kNotFound && (status == nullptr || status->kind != "namespaces");
}

// A Service whose only fault is that its ports are taken: by itself, when it is there already.
bool has_taken_ports_only(const Candidate& candidate, const Error& error) {
  if (candidate.resource.resource != "services" || !candidate.resource.group.empty()) return false;
  const auto* status = error.detail<kube::ApiStatus>();
  return status != nullptr && !status->causes.empty() && std::ranges::all_of(status->causes, [](const auto& cause) {
           return cause.message.find("provided port is already allocated") != std::string::npos;
         });
}

// An object that may be there although it could not be created: admission and validation come before the name is
// looked at.
bool may_exist(const Candidate& candidate, const Error& error) {
  return error.code() == Code::kAlreadyExists || error.code() == Code::kInvalid || error.code() == Code::kForbidden ||
         error.code() == Code::kConflict || has_taken_ports_only(candidate, error);
}

std::string title(const Candidate& candidate) {
  const std::string kind = json::string_or(candidate.object, {"kind"}, candidate.resource.resource);
  return kind + " " + (candidate.name_space.empty() ? "" : candidate.name_space + "/") + candidate.name;
}

// What the journal calls setting the labels of an object that is as it should be.
std::string relabelling(const Candidate& candidate) { return "labels of " + candidate.source; }

void set_end(ItemEnd& end, Outcome outcome, Listed listed) {
  end.outcome = outcome;
  end.listed = listed;
}

}  // namespace

LiveTarget::LiveTarget(const RestoreJob& job, RestoreTools& tools, std::set<std::string> intents)
    : job_(job),
      tools_(tools),
      intents_(std::move(intents)),
      is_resumed_(job.stored_plan != nullptr || (job.found_lines != nullptr && !job.found_lines->empty())),
      restore_name_(k8s::ObjectView(job.restore).name()),
      restore_created_(k8s::ObjectView(job.restore).creation_timestamp()) {}

Result<json::Json> LiveTarget::patiently(const std::function<Result<json::Json>()>& call, const std::string& item,
                                         const std::stop_token& stop) {
  const SteadyTime patience = tools_.clock.after(tools_.options.resource_timeout);
  Backoff pause({.first = std::chrono::milliseconds(200), .cap = std::chrono::seconds(5)}, tools_.random);
  while (true) {
    auto answer = call();
    if (answer || stop.stop_requested() || !is_passing(answer.error()) || tools_.clock.now() >= patience) return answer;
    tools_.progress.blame(answer.error().message(), item);
    if (!tools_.clock.sleep_for(pause.next(), stop)) return answer;
  }
}

Result<json::Json> LiveTarget::get(const Candidate& candidate, const std::stop_token& stop) {
  return patiently([&] { return resource_of(candidate).get(candidate.name, stop); }, candidate.source, stop);
}

Result<json::Json> LiveTarget::patch(const Candidate& candidate, const json::Json& patch, const std::stop_token& stop) {
  return patiently(
      [&] {
        return resource_of(candidate).patch(candidate.name, kube::PatchType::kMerge, patch, stop,
                                            {.field_manager = std::string(kFieldManager)});
      },
      candidate.source, stop);
}

kube::Resource LiveTarget::resource_of(const Candidate& candidate) const {
  return {tools_.client, candidate.resource, candidate.name_space};
}

bool LiveTarget::is_young(const json::Json& live) const {
  const auto born = k8s::ObjectView(live).creation_timestamp();
  return !restore_created_ || (born && *born >= *restore_created_);
}

bool LiveTarget::is_ours(const Candidate& candidate, const json::Json& live) const {
  // What was there before and was changed or relabelled has the same label, and may be as young: controllers make
  // objects while a restore runs.
  if (is_intended(candidate.source) || is_intended(relabelling(candidate))) return false;
  // Both times are the API server's. An older restore of that name was gone before this one could be made.
  return k8s::ObjectView(live).labels().get(std::string(api::label::kRestoreName)) == k8s::label_safe(restore_name_) &&
         is_young(live);
}

void LiveTarget::intend(const std::string& what, const std::stop_token& stop) {
  tools_.journal.add(json::dump(json::Json::array({"intent", what})));
  const Duration patience = is_journal_away_ ? kIntentGlance : kIntentDeadline;
  const Status written = tools_.journal.flush(tools_.clock.after(patience), stop);
  const bool was_away = is_journal_away_.exchange(!written.has_value());
  if (!written && !was_away && !stop.stop_requested()) {
    tools_.log.warning(
        "The journal cannot be written: after a crash changes since now would be taken for somebody else's",
        {{"item", what}, LogField(written.error())});
  }
}

LiveTarget::Attempt LiveTarget::create(const Candidate& candidate, const std::stop_token& stop) {
  Attempt attempt;
  const auto path = k8s::collection_path(candidate.resource, candidate.name_space);
  if (!path) {
    attempt.error = path.error();
    return attempt;
  }
  const kube::Call call{.method = "POST",
                        .path = *path,
                        .query = {{"fieldManager", std::string(kFieldManager)}},
                        .body = json::dump(candidate.object)};
  const SteadyTime patience = tools_.clock.after(tools_.options.resource_timeout);
  const SteadyTime grace = tools_.clock.after(kNewKindGrace);
  Backoff pause({.first = std::chrono::milliseconds(200), .cap = std::chrono::seconds(5)}, tools_.random);
  for (int tries = 1;; ++tries) {
    auto answer = tools_.client.call(call, stop);
    if (answer) {
      attempt.body = std::move(answer->body);
      attempt.error.reset();
      if (tries > 1) hopeless_.with([&](auto& all) { all.erase(candidate.resource); });
      return attempt;
    }
    attempt.error = answer.error();
    const Code code = answer.error().code();
    if (stop.stop_requested()) return attempt;
    const bool may_pass = is_passing(answer.error());
    const bool is_hopeless = hopeless_.with([&](const auto& all) { return all.contains(candidate.resource); });
    const bool again = (may_pass && !is_hopeless && tools_.clock.now() < patience) ||
                       (code == Code::kInternal && tries < kTriesAfterInternalError) ||
                       (is_of_endpoint(answer.error()) && !is_hopeless &&
                        candidate.resource.group.find('.') != std::string::npos && tools_.clock.now() < grace);
    if (!again) {
      // What nobody serves is not waited for again with every object of the kind.
      if (may_pass || is_of_endpoint(answer.error())) {
        hopeless_.with([&](auto& all) { all.insert(candidate.resource); });
      }
      return attempt;
    }
    // It may have reached the server before the answer got lost.
    if (may_pass || code == Code::kInternal) attempt.may_have_worked = true;
    tools_.progress.blame(answer.error().message(), title(candidate));
    if (!tools_.clock.sleep_for(pause.next(), stop)) return attempt;
  }
}

Result<std::unique_ptr<json::Json>> LiveTarget::put(const Candidate& candidate, bool wants_created, ItemEnd& end,
                                                    const std::stop_token& stop) {
  const Attempt attempt = create(candidate, stop);
  const bool has_more = candidate.status != nullptr || tools_.options.managed_fields == ManagedFields::kAlways ||
                        has_applied_fields(candidate.object);
  if (!attempt.error) {
    end.exists = true;
    set_end(end, Outcome::kCreated, Listed::kCreated);
    std::unique_ptr<json::Json> object;
    if (wants_created || has_more) {
      auto parsed = json::parse(attempt.body, {.max_bytes = attempt.body.size()});
      object = std::make_unique<json::Json>(parsed ? *std::move(parsed) : candidate.object);
    }
    json::Json empty;
    TRY("", created(candidate, object ? *object : empty, end, stop));
    return object;
  }
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!may_exist(candidate, *attempt.error) && !attempt.may_have_worked) {
    refused(candidate, *attempt.error, end);
    return nullptr;
  }
  auto live = get(candidate, stop);
  if (!live) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (attempt.error->code() == Code::kAlreadyExists) {
      set_end(end, Outcome::kSkipped, Listed::kFailed);
      end.findings.push_back(warning_in(candidate.name_space, title(candidate) +
                                                                  " is there already, but cannot be "
                                                                  "read, and is left as it is: " +
                                                                  live.error().message()));
    } else {
      refused(candidate, *attempt.error, end);
    }
    return nullptr;
  }
  end.exists = true;
  if ((is_resumed_ || attempt.may_have_worked) && is_ours(candidate, *live)) {
    set_end(end, Outcome::kCreated, Listed::kCreated);
    TRY("", created(candidate, *live, end, stop));
    return std::make_unique<json::Json>(*std::move(live));
  }
  TRY("", existing(candidate, *std::move(live), end, stop));
  return nullptr;
}

void LiveTarget::refused(const Candidate& candidate, const Error& error, ItemEnd& end) const {
  set_end(end, Outcome::kFailed, Listed::kFailed);
  end.findings.push_back(error_in(candidate.name_space, title(candidate) + ": " + error.message() + hint_for(error)));
}

Status LiveTarget::created(const Candidate& candidate, json::Json& object, ItemEnd& end, const std::stop_token& stop) {
  if (candidate.status != nullptr) TRY("", restore_status(candidate, object, end, stop));
  if (tools_.options.managed_fields == ManagedFields::kAlways || has_applied_fields(candidate.object)) {
    TRY("", restore_managed_fields(candidate, object, end, stop));
  }
  if (candidate.resource.resource == "customresourcedefinitions") TRY("", wait_established(candidate, end, stop));
  return {};
}

Status LiveTarget::restore_status(const Candidate& candidate, json::Json& object, ItemEnd& end,
                                  const std::stop_token& stop) {
  json::Json wanted = candidate.object;
  wanted["status"] = *candidate.status;
  Error last(Code::kConflict, "");
  for (int tries = 0; tries < 5; ++tries) {
    TRY("", json::set_at(wanted, {"metadata", "resourceVersion"}, k8s::ObjectView(object).resource_version()));
    auto updated = resource_of(candidate).update(wanted, stop, {.subresource = "status"});
    if (updated) {
      object = *std::move(updated);
      return {};
    }
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    last = updated.error();
    if (last.code() != Code::kConflict) break;
    if (auto newer = resource_of(candidate).get(candidate.name, stop)) object = *std::move(newer);
  }
  end.findings.push_back(
      warning_in(candidate.name_space, title(candidate) + ": its status is not restored: " + last.message()));
  return {};
}

Status LiveTarget::restore_managed_fields(const Candidate& candidate, json::Json& object, ItemEnd& end,
                                          const std::stop_token& stop) {
  const json::Json* wanted = json::find(candidate.object, {"metadata", "managedFields"});
  const json::Json* there = json::find(object, {"metadata", "managedFields"});
  if (wanted == nullptr || (there != nullptr && *there == *wanted)) return {};
  json::Json fields = json::Json::object();
  fields["metadata"]["managedFields"] = *wanted;
  auto patched = this->patch(candidate, fields, stop);
  if (patched) {
    object = *std::move(patched);
    return {};
  }
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  const std::string text = title(candidate) + ": its managedFields are not restored: " + patched.error().message();
  if (patched.error().code() == Code::kNotFound) {
    end.findings.push_back(warning_in(candidate.name_space, text));
  } else {
    end.findings.push_back(error_in(candidate.name_space, text));
  }
  return {};
}

Status LiveTarget::wait_established(const Candidate& candidate, ItemEnd& end, const std::stop_token& stop) {
  const SteadyTime deadline = tools_.clock.after(tools_.options.resource_timeout);
  std::string last = "it is not established";
  while (true) {
    const auto live = resource_of(candidate).get(candidate.name, stop);
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (live) {
      const k8s::ObjectView view(*live);
      if (view.is_condition_true("Established") && view.is_condition_true("NamesAccepted")) return {};
      const json::Json* names = view.condition("NamesAccepted");
      if (names != nullptr && !view.is_condition_true("NamesAccepted")) {
        last = "its names are not accepted: " + json::string_or(*names, {"message"}, "");
      }
    } else {
      last = live.error().message();
    }
    if (tools_.clock.now() >= deadline) break;
    if (!tools_.clock.sleep_for(kPollInterval / 5, stop)) return fail(Code::kCancelled, "stopped");
  }
  end.findings.push_back(error_in("", title(candidate) + " cannot be used for custom resources: " + last));
  return {};
}

Status LiveTarget::existing(const Candidate& candidate, json::Json live, ItemEnd& end, const std::stop_token& stop) {
  const k8s::GroupResource resource{candidate.resource.group, candidate.resource.resource};
  const bool looks_ours = is_young(live);  // once it has the labels
  const auto compared =
      ExistingObject::compare(std::move(live), candidate.object, resource, job_.spec.existing_resource_policy);
  if (!compared) {
    set_end(end, Outcome::kSkipped, Listed::kFailed);
    end.findings.push_back(warning_in(candidate.name_space, title(candidate) + ": " + compared.error().message()));
    return {};
  }
  switch (compared->fate()) {
    case ExistingFate::kUnchanged:
    case ExistingFate::kRelabel:
      // What an earlier process was about to change is as it was to become. An update has set the labels, too; a merge
      // sets none.
      if (is_intended(candidate.source)) {
        set_end(end, Outcome::kUpdated, Listed::kUpdated);
        return {};
      }
      set_end(end, Outcome::kUnchanged, Listed::kSkipped);
      if (compared->fate() == ExistingFate::kUnchanged) return {};
      if (looks_ours && !is_intended(relabelling(candidate))) intend(relabelling(candidate), stop);
      return relabel(candidate, compared->label_patch(), end, stop);
    case ExistingFate::kMerge:
    case ExistingFate::kUpdate:
      return change(candidate, compared->patch(), compared->label_patch(), end, stop);
    case ExistingFate::kConflict:
      break;
  }
  set_end(end, Outcome::kSkipped, Listed::kFailed);
  end.findings.push_back(warning_in(candidate.name_space,
                                    title(candidate) + " already exists and differs from the one in the backup (" +
                                        join(compared->differences(), ", ") +
                                        "): it is left as it is; existingResourcePolicy: update would overwrite it"));
  return {};
}

Status LiveTarget::change(const Candidate& candidate, const json::Json& patch, const json::Json& label_patch,
                          ItemEnd& end, const std::stop_token& stop) {
  if (!is_intended(candidate.source)) intend(candidate.source, stop);
  json::Json whole = patch;
  if (tools_.options.managed_fields == ManagedFields::kAlways || has_applied_fields(candidate.object)) {
    if (const json::Json* fields = json::find(candidate.object, {"metadata", "managedFields"})) {
      whole["metadata"]["managedFields"] = *fields;
    }
  }
  const auto patched = this->patch(candidate, whole, stop);
  if (patched) {
    set_end(end, Outcome::kUpdated, Listed::kUpdated);
    return {};
  }
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  set_end(end, Outcome::kSkipped, Listed::kFailed);
  end.findings.push_back(warning_in(candidate.name_space, title(candidate) + " is there and cannot be updated: " +
                                                              patched.error().message() + hint_for(patched.error())));
  if (job_.spec.existing_resource_policy == "update") return relabel(candidate, label_patch, end, stop);
  return {};
}

Status LiveTarget::relabel(const Candidate& candidate, const json::Json& label_patch, ItemEnd& end,
                           const std::stop_token& stop) {
  const auto patched = patch(candidate, label_patch, stop);
  if (patched) return {};
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  set_end(end, Outcome::kFailed, Listed::kFailed);
  end.findings.push_back(
      error_in(candidate.name_space,
               title(candidate) + ": the labels of the restore cannot be set: " + patched.error().message()));
  return {};
}

Status LiveTarget::create_namespace(const std::string& name, const json::Json* source, const std::stop_token& stop) {
  json::Json object = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
  if (source != nullptr) {
    for (const std::string_view field : {"labels", "annotations"}) {
      if (const json::Json* value = json::find(*source, {"metadata", field})) {
        object["metadata"][std::string(field)] = *value;
      }
    }
    if (const json::Json* spec = json::find(*source, {"spec"})) object["spec"] = *spec;
  }
  const kube::Resource namespaces(tools_.client, {"", "v1", "namespaces"});
  auto made = namespaces.create(object, stop, {.field_manager = std::string(kFieldManager)});
  return made ? Status() : Status(tl::unexpected<Error>(made.error()));
}

Result<bool> LiveTarget::ensure_namespace(const std::string& name, const json::Json* source,
                                          const std::stop_token& stop) {
  const kube::Resource namespaces(tools_.client, {"", "v1", "namespaces"});
  const std::string what = "namespaces " + name;
  const SteadyTime deadline = tools_.clock.after(tools_.options.terminating_timeout);
  bool was_terminating = false;
  bool is_tried = false;  // an attempt of ours broke off, and may have worked
  while (true) {
    const auto live = namespaces.get(name, stop);
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (live) {
      const bool is_going =
          k8s::ObjectView(*live).is_being_deleted() || json::string_or(*live, {"status", "phase"}, "") == "Terminating";
      // One that an earlier process was about to make, where there was none.
      if (!is_going) return is_intended(what) || is_tried;
      was_terminating = true;
      tools_.progress.blame("namespace " + name + " is being deleted", "namespace " + name);
    } else if (live.error().code() == Code::kNotFound) {
      if (!is_intended(what)) intend(what, stop);
      const Status made = create_namespace(name, source, stop);
      if (made) return true;
      if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
      if (made.error().code() == Code::kAlreadyExists) continue;  // somebody was faster
      if (!is_passing(made.error())) return fail("create namespace " + name, made.error());
      is_tried = true;
    } else if (!is_passing(live.error())) {
      return fail("namespace " + name, live.error());
    }
    if (tools_.clock.now() >= deadline) {
      return was_terminating
                 ? fail(Code::kTimeout,
                        "namespace " + name + " is still being deleted (Terminating) after " +
                            std::to_string(
                                std::chrono::ceil<std::chrono::seconds>(tools_.options.terminating_timeout).count()) +
                            " s; see what its finalizers wait for, or raise "
                            "--terminating-resource-timeout")
                 : fail(Code::kUnavailable, "namespace " + name + ": the API server does not answer");
    }
    if (!tools_.clock.sleep_for(kPollInterval, stop)) return fail(Code::kCancelled, "stopped");
  }
}

}  // namespace landfall::restore
