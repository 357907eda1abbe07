#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "json/json.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {

// For tests: a server with the objects of one kind, in memory, that lists them and lets them be watched, and breaks off
// as the test likes. Thread-safe.
class FakeApi {
 public:
  // What to do with a watch that is about to send one more line.
  enum class Fault { kNone, kCutBeforeLine, kCutInsideLine, kEndOrderly, kForget };

  FakeApi() : server_([this](testkit::ScriptedConnection& c) { serve(c); }) {}

  std::string url() const { return server_.url(); }
  const testkit::ScriptedServer& server() const { return server_; }
  // Asked before each line; without it nothing breaks. Set it before the first request.
  void on_line(std::function<Fault()> decide) { decide_ = std::move(decide); }

  void put(const std::string& name, const std::string& value) {
    state_.update([&](State& state) {
      const bool is_new = !state.objects.contains(name);
      const std::string version = std::to_string(++state.version);
      json::Json object = {
          {"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "ns"}, {"uid", name}, {"resourceVersion", version}}},
          {"data", {{"value", value}}}};
      state.objects[name] = object;
      state.history.push_back({state.version, event(is_new ? "ADDED" : "MODIFIED", object)});
    });
  }
  void remove(const std::string& name) {
    state_.update([&](State& state) {
      const auto found = state.objects.find(name);
      if (found == state.objects.end()) {
        return;
      }
      json::Json object = found->second;
      state.objects.erase(found);
      object["metadata"]["resourceVersion"] = std::to_string(++state.version);
      state.history.push_back({state.version, event("DELETED", object)});
    });
  }
  // Sends the watchers a bookmark.
  void bookmark() {
    state_.update([](State& state) {
      const json::Json object = {{"kind", "ConfigMap"},
                                 {"metadata", {{"resourceVersion", std::to_string(++state.version)}}}};
      state.history.push_back({state.version, event("BOOKMARK", object)});
    });
  }
  // Versions up to now cannot be watched from any more.
  void forget() {
    state_.update([](State& state) { state.oldest = state.version; });
  }
  std::map<std::string, json::Json> objects() const {
    return state_.with([](const State& state) { return state.objects; });
  }
  int lists() const {
    return state_.with([](const State& state) { return state.lists; });
  }
  int watches() const {
    return state_.with([](const State& state) { return state.watches; });
  }

 private:
  struct Event {
    int version;
    std::string line;
  };
  struct State {
    std::map<std::string, json::Json> objects;
    std::vector<Event> history;
    int version = 100;
    int oldest = 0;
    int lists = 0;
    int watches = 0;
  };

  static std::string event(const std::string& type, const json::Json& object) {
    return json::Json{{"type", type}, {"object", object}}.dump() + "\n";
  }
  static std::string gone() {
    return event("ERROR", {{"kind", "Status"}, {"code", 410}, {"reason", "Expired"}, {"message", "too old"}});
  }

  std::string list() {
    return state_.update([](State& state) {
      ++state.lists;
      json::Json list = {{"kind", "ConfigMapList"},
                         {"apiVersion", "v1"},
                         {"metadata", {{"resourceVersion", std::to_string(state.version)}}},
                         {"items", json::Json::array()}};
      for (const auto& [name, object] : state.objects) {
        list["items"].push_back(object);
      }
      return testkit::reply(200, list.dump());
    });
  }

  void serve(testkit::ScriptedConnection& c) {
    while (const auto request = c.read_request()) {
      const std::size_t from = request->target.find("resourceVersion=");
      if (request->target.find("watch=true") == std::string::npos) {
        if (!c.send(list())) {
          return;
        }
        continue;
      }
      state_.update([](State& state) { ++state.watches; });
      // Without a length and chunks: the end of the connection is the end of the stream.
      if (c.send("HTTP/1.1 200 OK\r\n\r\n")) {
        stream(c, std::stoi(request->target.substr(from + 16)));
      }
      return;
    }
  }

  // The first event behind a version, waiting for it a little.
  std::optional<Event> after(int version, bool& is_forgotten) {
    std::optional<Event> found;
    const auto behind = [&](const State& state) {
      is_forgotten = version < state.oldest;
      const auto next = std::ranges::upper_bound(state.history, version, {}, &Event::version);
      if (next != state.history.end()) {
        found = *next;
      }
      return is_forgotten || found.has_value();
    };
    state_.wait_until(system_clock(), {}, system_clock().after(std::chrono::milliseconds(50)), behind);
    return found;
  }

  void stream(testkit::ScriptedConnection& c, int version) {
    testkit::Gate never;
    while (true) {
      bool is_forgotten = false;
      const auto next = after(version, is_forgotten);
      if (is_forgotten) {
        c.send(gone());
        return;
      }
      if (!next) {
        if (!c.send("\n")) {  // finds out whether somebody is there
          return;
        }
        continue;
      }
      version = next->version;
      switch (decide_ ? decide_() : Fault::kNone) {
        case Fault::kNone:
          break;
        case Fault::kCutBeforeLine:
          return c.reset();
        case Fault::kCutInsideLine:
          c.send(next->line.substr(0, next->line.size() / 2));
          return c.reset();
        case Fault::kEndOrderly:
          c.send(next->line);
          return c.close();
        case Fault::kForget:
          forget();
          c.send(gone());
          return;
      }
      if (!c.send(next->line)) {
        return;
      }
    }
  }

  Monitor<State> state_;
  std::function<Fault()> decide_;
  testkit::ScriptedServer server_;
};

}  // namespace landfall::kube
