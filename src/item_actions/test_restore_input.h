#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "extension/item_action.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::item_actions {

// For tests of restore actions.

inline json::Json yaml(std::string_view text) { return json::parse_yaml(text).value(); }

inline json::Json test_restore() {
  return yaml("{metadata: {name: back, namespace: velero, uid: r-1}, spec: {backupName: nightly}}");
}

using Ran = Result<extension::RestoreActionResult>;

inline Ran run(extension::RestoreItemAction& action, const json::Json& item, const json::Json& from_backup) {
  const json::Json restore = test_restore();
  return action.execute({.item = item, .from_backup = from_backup, .restore = restore}, {});
}

// The object that it becomes.
inline json::Json changed_by(extension::RestoreItemAction& action, const json::Json& item,
                             const json::Json& from_backup) {
  const auto result = run(action, item, from_backup).value();
  return result.changed ? *result.changed : item;
}
inline json::Json changed_by(extension::RestoreItemAction& action, const json::Json& item) {
  return changed_by(action, item, item);
}

// An API server that has these objects: the answers to GETs by path, without the query. What is not there is 404;
// other methods go to `on_write`, without it they succeed with what they sent.
struct TestCluster {
  using OnWrite = std::function<std::string(const testkit::ScriptedRequest&)>;
  explicit TestCluster(std::map<std::string, json::Json> objects, OnWrite on_write = nullptr)
      : server(testkit::ScriptedServer::answering(
            [objects = std::move(objects), on_write = std::move(on_write)](const testkit::ScriptedRequest& request) {
              if (request.method != "GET") return on_write ? on_write(request) : testkit::reply(201, request.body);
              const auto found = objects.find(request.target.substr(0, request.target.find('?')));
              if (found == objects.end()) return missing();
              return testkit::reply(200, json::dump(found->second));
            })),
        client(server.url()) {}

  static std::string missing() {
    return testkit::reply(404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"there is none"})");
  }
  static json::Json list(json::Json items) {
    return {{"kind", "ThingList"}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", "1"}}}, {"items", items}};
  }

  testkit::ScriptedServer server;
  kube::TestClient client;
};

}  // namespace landfall::item_actions
