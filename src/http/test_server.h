#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/manual_clock.h"
#include "http/server.h"
#include "http/test_client.h"

// For the module's own tests: a server on a free port with a clock of its own.

namespace landfall::http::testing {

class RecordingSink final : public LogSink {
 public:
  void write(const LogEntry& entry) override {
    lines_.update([&](std::vector<std::string>& lines) {
      std::string line = std::string(to_string(entry.level)) + " " + entry.message;
      for (const LogField& field : entry.fields) {
        if (const auto* text = std::get_if<std::string>(&field.value)) line += " " + field.key + "=" + *text;
      }
      lines.push_back(std::move(line));
    });
  }
  bool has(std::string_view text) const {
    return lines_.with([&](const std::vector<std::string>& lines) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(text) != std::string::npos; });
    });
  }
  // Waits for it.
  bool comes(std::string_view text) {
    return lines_.wait_until(
        system_clock(), {}, system_clock().after(std::chrono::seconds(60)), [&](const std::vector<std::string>& lines) {
          return std::any_of(lines.begin(), lines.end(),
                             [&](const std::string& line) { return line.find(text) != std::string::npos; });
        });
  }

 private:
  Monitor<std::vector<std::string>> lines_;
};

// A value that a callback sets and a test waits for.
template <class T>
class Signal {
 public:
  void set(T value) {
    value_.update([&](std::optional<T>& held) { held = std::move(value); });
  }
  bool is_set() const {
    return value_.with([](const std::optional<T>& held) { return held.has_value(); });
  }
  // Throws when it does not come.
  T wait() {
    T got{};
    if (!value_.wait_then(
            system_clock(), {}, system_clock().after(std::chrono::seconds(60)),
            [](const std::optional<T>& held) { return held.has_value(); },
            [&](const std::optional<T>& held) { got = *held; })) {
      throw std::runtime_error("it never came");
    }
    return got;
  }
  bool wait_for(std::chrono::milliseconds within) {
    return value_.wait_until(system_clock(), {}, system_clock().after(within),
                             [](const std::optional<T>& held) { return held.has_value(); });
  }

 private:
  Monitor<std::optional<T>> value_;
};

// Time stands still unless a test moves it, so no time-out can spoil a slow test run.
class TestServer {
 public:
  explicit TestServer(Handler handler, ServerOptions options = {})
      : sink(std::make_shared<RecordingSink>()),
        server(prepared(std::move(options)), std::move(handler), clock, logger()) {
    if (const Status started = server.start(); !started) throw std::runtime_error(started.error().message());
  }

  TestClient connect() const { return TestClient(server.port()); }

  // Moves time on until it has happened: what it waits for may still be on its way to the server.
  void advance_until(const std::function<bool()>& happened, Duration by = std::chrono::minutes(5)) {
    Monitor<bool> nothing;
    const SteadyTime enough = system_clock().after(std::chrono::seconds(60));
    while (!happened() && system_clock().now() < enough) {
      clock.advance(by);
      nothing.wait_until(system_clock(), {}, system_clock().after(std::chrono::milliseconds(2)), std::identity());
    }
  }

  ManualClock clock;
  std::shared_ptr<RecordingSink> sink;
  Server server;

 private:
  static ServerOptions prepared(ServerOptions options) {
    options.tick = std::chrono::milliseconds(2);
    return options;
  }
  Logger logger() const { return {clock, sink, LogLevel::kDebug}; }
};

// Answers with what it got: "POST /path body".
inline void echo(Request request, const std::shared_ptr<Responder>& responder) {
  responder->send(text(200, request.method + " " + request.path + " " + request.body));
}

}  // namespace landfall::http::testing
