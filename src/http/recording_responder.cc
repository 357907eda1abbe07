#include "http/recording_responder.h"

namespace landfall::http {

RecordingResponder::Answer RecordingResponder::answer() const {
  return state_.with([](const State& state) { return state.answer; });
}

void RecordingResponder::drain() {
  const auto callback = state_.with([](State& state) -> std::function<void()> {
    state.queued = 0;
    return std::exchange(state.was_full, false) ? state.drained : nullptr;
  });
  if (callback) callback();
}

void RecordingResponder::close() {
  const auto callback = state_.with([](State& state) -> std::function<void()> {
    if (state.answer.finished || std::exchange(state.gone, true)) return nullptr;
    state.drained = nullptr;
    return std::exchange(state.closed, nullptr);
  });
  if (callback) callback();
}

void RecordingResponder::send(Response response) {
  end([&](Answer& answer) {
    if (answer.status != 0) return;
    answer.status = response.status;
    answer.headers = std::move(response.headers);
    answer.body = std::move(response.body);
    answer.finished = true;
  });
}

void RecordingResponder::begin(ResponseHead head) {
  state_.with([&](State& state) {
    if (state.answer.status != 0) return;
    state.answer.status = head.status;
    state.answer.headers = std::move(head.headers);
    state.answer.streamed = true;
  });
}

WriteResult RecordingResponder::write(const Chunk& chunk) {
  return state_.with([&](State& state) {
    const Answer& answer = state.answer;
    if (state.gone || !answer.streamed || answer.finished || answer.aborted) return WriteResult::kClosed;
    if (state.queued > 0 && chunk.size() > room_ - std::min(room_, state.queued)) {
      state.was_full = true;
      return WriteResult::kFull;
    }
    state.queued += chunk.size();
    state.answer.body += chunk.view();
    return WriteResult::kTaken;
  });
}

void RecordingResponder::finish() {
  end([](Answer& answer) { answer.finished = answer.finished || (answer.streamed && !answer.aborted); });
}

void RecordingResponder::abort(const Error& reason) {
  end([&](Answer& answer) {
    if (!answer.finished && !answer.aborted) answer.aborted = reason;
  });
}

// As the real one does it: an answer that is over forgets its callbacks, which may own the responder.
void RecordingResponder::end(const std::function<void(Answer&)>& change) {
  std::function<void()> drained;
  std::function<void()> closed;
  state_.with([&](State& state) {
    change(state.answer);
    if (!state.answer.finished && !state.answer.aborted) return;
    drained.swap(state.drained);
    closed.swap(state.closed);
  });
}

void RecordingResponder::on_drained(std::function<void()> callback) {
  state_.with([&](State& state) { state.drained.swap(callback); });
}

void RecordingResponder::on_close(std::function<void()> callback) {
  const bool gone = state_.with([&](State& state) {
    if (!state.gone) state.closed.swap(callback);
    return state.gone;
  });
  if (gone) callback();
}

bool RecordingResponder::closed() const {
  return state_.with(
      [](const State& state) { return state.gone || state.answer.finished || state.answer.aborted.has_value(); });
}

void RecordingResponder::set_route(std::string pattern) {
  state_.with([&](State& state) { state.answer.route = std::move(pattern); });
}

}  // namespace landfall::http
