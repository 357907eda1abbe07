#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::volume_info {

// For tests: an API server that has lists, by their paths, page by page, and counts what it is asked. What it does not
// have is 404; what it is told to refuse is 403. Thread-safe.
class TestListServer {
 public:
  using Lists = std::map<std::string, std::vector<json::Json>>;
  explicit TestListServer(Lists lists, std::set<std::string> refused = {})
      : lists_(std::move(lists)),
        refused_(std::move(refused)),
        server_(testkit::ScriptedServer::answering(
            [this](const testkit::ScriptedRequest& request) { return answer(request.target); })),
        client_(server_.url()) {}

  kube::Client& client() { return *client_; }
  std::vector<std::string> requests() const { return requests_.copy(); }

 private:
  static std::size_t number_in(const std::string& target, const std::string& key, std::size_t otherwise) {
    const std::size_t at = target.find(key + "=");
    return at == std::string::npos ? otherwise : std::stoul(target.substr(at + key.size() + 1));
  }

  std::string answer(const std::string& target) {
    requests_.with([&](auto& all) { all.push_back(target); });
    const std::string path = target.substr(0, target.find('?'));
    if (refused_.contains(path)) {
      return testkit::reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"not for you"})");
    }
    const auto found = lists_.find(path);
    if (found == lists_.end()) {
      return testkit::reply(404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"there is none"})");
    }
    const std::vector<json::Json>& all = found->second;
    const std::size_t from = std::min(number_in(target, "continue", 0), all.size());
    const std::size_t to = std::min(from + number_in(target, "limit", all.size()), all.size());
    json::Json list = {{"kind", "List"}, {"metadata", {{"resourceVersion", "7"}}}, {"items", json::Json::array()}};
    for (std::size_t i = from; i < to; ++i) list["items"].push_back(all[i]);
    if (to < all.size()) list["metadata"]["continue"] = std::to_string(to);
    return testkit::reply(200, json::dump(list));
  }

  const Lists lists_;
  const std::set<std::string> refused_;
  Guarded<std::vector<std::string>> requests_;
  testkit::ScriptedServer server_;
  kube::TestClient client_;
};

}  // namespace landfall::volume_info
