#include "restore/delayed_stop.h"

#include "base/guarded.h"

namespace landfall::restore {

DelayedStop::DelayedStop(Clock& clock, const std::stop_token& stop, Duration delay)
    : watch_([this, &clock, stop, delay](const std::stop_token& ended) {
        Monitor<bool> is_stopped;
        const std::stop_callback wake(stop, [&] { is_stopped.update([](bool& value) { value = true; }); });
        if (!is_stopped.wait_until(clock, ended, kNever, [](bool value) { return value; })) return;
        clock.sleep_for(delay, ended);
        if (!ended.stop_requested()) late_.request_stop();
      }) {}

DelayedStop::~DelayedStop() = default;

}  // namespace landfall::restore
