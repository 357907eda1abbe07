#include "plugin_local/progress_reporter.h"

#include <chrono>
#include <memory>
#include <utility>

#include "plugin_local/progress_resource.h"

namespace landfall::plugin_local {
namespace {

constexpr Duration kInterval = std::chrono::seconds(1);
constexpr int kLastTries = 20;

}  // namespace

ProgressReporter::ProgressReporter(const Layout& /*layout*/, Task& task, TaskMeter& meter,
                                   const Environment& environment, Clock& clock)
    : task_(task),
      meter_(meter),
      environment_(environment),
      clock_(clock),
      is_wanted_(task.settings.progress != ProgressWay::kPolled),
      resource_(task.resource) {}

bool ProgressReporter::may_pass(const Error& error) const {
  if (error.code() == Code::kGone) return false;  // deleted by somebody who does not want it
  return is_needed() || is_retryable(error.code()) || error.code() == Code::kTimeout;
}

// With `auto` whoever asks is told, but not where a resource of ours is: then the server believes that alone.
bool ProgressReporter::is_needed() const { return task_.settings.progress != ProgressWay::kAuto || !resource_.empty(); }

void ProgressReporter::start() {
  if (!is_wanted_) return;
  thread_ = std::jthread([this, task = task_](const std::stop_token& stop) { run(task, stop); });
}

void ProgressReporter::run(Task task, const std::stop_token& stop) {
  std::unique_ptr<ProgressResource> resource;
  do {
    task.counts = meter_.shown();
    task.resource = resource_;
    Status written;
    if (!resource) {
      auto opened = ProgressResource::open(environment_, clock_);
      if (opened) {
        resource = *std::move(opened);
      } else {
        written = tl::unexpected(std::move(opened).error());
      }
    }
    if (resource) {
      auto done = resource->write(task, stop);
      if (done) {
        resource_ = done->name;
        if (done->is_cancelled) meter_.cancel();
      } else {
        written = tl::unexpected(std::move(done).error());
      }
    }
    if (!written && !stop.stop_requested() && !may_pass(written.error())) {
      has_given_up_ = true;
      return;
    }
  } while (clock_.sleep_for(kInterval, stop));
}

void ProgressReporter::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  task_.resource = resource_;
}

bool ProgressReporter::report_end(const Task& task) {
  if (!is_wanted_ || has_given_up_) return true;
  Task last = task;
  for (int tries = 0; tries < kLastTries; ++tries) {
    if (tries > 0) clock_.sleep_for(kInterval * 3, {});
    last.resource = resource_;
    const auto opened = ProgressResource::open(environment_, clock_);
    if (!opened && !may_pass(opened.error())) return true;
    if (!opened) continue;
    const auto written = (*opened)->write(last, {});
    if (written) {
      task_.resource = written->name;
      return true;
    }
    if (!may_pass(written.error())) return true;
  }
  return !is_needed();  // or left for the next worker
}

}  // namespace landfall::plugin_local
