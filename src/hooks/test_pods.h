#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "json/json.h"
#include "testkit/scripted_server.h"

namespace landfall::hooks {

// For tests: an API server with pods in memory, that can be read, listed and watched. Thread-safe.
class TestPods {
 public:
  TestPods() : server_([this](testkit::ScriptedConnection& c) { serve(c); }) {}

  const testkit::ScriptedServer& server() const { return server_; }

  // A pod with the container "main" and that state of it. Returns it as the server has it.
  json::Json put(const std::string& name_space, const std::string& name, const json::Json& state, bool is_ready = false,
                 const std::string& phase = "Running") {
    return state_.update([&](State& state_now) {
      const std::string key = name_space + "/" + name;
      const bool is_new = !state_now.pods.contains(key);
      json::Json pod = {
          {"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", name_space},
            {"uid", "uid of " + name},
            {"resourceVersion", std::to_string(++state_now.version)}}},
          {"spec", {{"containers", json::Json::array({{{"name", "main"}}})}}},
          {"status",
           {{"phase", phase},
            {"containerStatuses", json::Json::array({{{"name", "main"}, {"ready", is_ready}, {"state", state}}})}}}};
      state_now.pods[key] = pod;
      state_now.history.push_back({state_now.version, is_new ? "ADDED" : "MODIFIED", pod});
      return pod;
    });
  }
  json::Json put_pending(const std::string& name_space, const std::string& name) {
    return put(name_space, name, {{"waiting", {{"reason", "ContainerCreating"}}}}, false, "Pending");
  }
  json::Json put_running(const std::string& name_space, const std::string& name, bool is_ready = false) {
    return put(name_space, name, {{"running", json::Json::object()}}, is_ready);
  }
  void remove(const std::string& name_space, const std::string& name) {
    state_.update([&](State& state) {
      json::Json pod = state.pods.at(name_space + "/" + name);
      state.pods.erase(name_space + "/" + name);
      pod["metadata"]["resourceVersion"] = std::to_string(++state.version);
      state.history.push_back({state.version, "DELETED", std::move(pod)});
    });
  }

 private:
  struct Event {
    int version;
    std::string type;
    json::Json pod;
  };
  struct State {
    std::map<std::string, json::Json> pods;  // by namespace/name
    std::vector<Event> history;
    int version = 100;
  };

  static std::string name_space_in(const std::string& target) {
    constexpr std::string_view before = "/namespaces/";
    const std::size_t from = target.find(before) + before.size();
    return target.substr(from, target.find('/', from) - from);
  }

  std::string answer(const std::string& target) const {
    return state_.with([&](const State& state) {
      const std::string name_space = name_space_in(target);
      const std::size_t name_at = target.find("/pods/");
      if (name_at != std::string::npos) {
        const auto found = state.pods.find(name_space + "/" + target.substr(name_at + 6));
        if (found != state.pods.end()) return testkit::reply(200, found->second.dump());
        return testkit::reply(404, R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})");
      }
      json::Json list = {{"kind", "PodList"},
                         {"apiVersion", "v1"},
                         {"metadata", {{"resourceVersion", std::to_string(state.version)}}},
                         {"items", json::Json::array()}};
      for (const auto& [key, pod] : state.pods) {
        if (key.starts_with(name_space + "/")) list["items"].push_back(pod);
      }
      return testkit::reply(200, list.dump());
    });
  }

  void serve(testkit::ScriptedConnection& c) {
    while (const auto request = c.read_request()) {
      if (request->target.find("watch=true") == std::string::npos) {
        if (!c.send(answer(request->target))) return;
        continue;
      }
      if (c.send("HTTP/1.1 200 OK\r\n\r\n")) {
        const std::size_t from = request->target.find("resourceVersion=") + 16;
        stream(c, name_space_in(request->target), std::stoi(request->target.substr(from)));
      }
      return;
    }
  }

  void stream(testkit::ScriptedConnection& c, const std::string& name_space, int version) {
    while (true) {
      std::optional<Event> next;
      const auto behind = [&](const State& state) {
        for (const Event& event : state.history) {
          if (event.version > version && event.pod["metadata"]["namespace"] == name_space) {
            next = event;
            return true;
          }
        }
        return false;
      };
      state_.wait_until(system_clock(), {}, system_clock().after(std::chrono::milliseconds(50)), behind);
      // An empty line finds out whether somebody is there.
      const std::string line = next ? json::Json{{"type", next->type}, {"object", next->pod}}.dump() + "\n" : "\n";
      if (!c.send(line)) return;
      if (next) version = next->version;
    }
  }

  Monitor<State> state_;
  testkit::ScriptedServer server_;
};

}  // namespace landfall::hooks
