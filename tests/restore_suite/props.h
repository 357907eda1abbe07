#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extension/item_action.h"
#include "json/json.h"

// Objects and actions that tests of the engine restore with.
namespace landfall::restore_suite {

// {"apiVersion", "kind", "metadata"}; cluster-scoped without a namespace.
json::Json object_of(const std::string& api_version, const std::string& kind, const std::string& name_space,
                     const std::string& name);
json::Json namespace_of(const std::string& name, const json::Json& labels = json::Json::object());
json::Json pod(const std::string& name_space, const std::string& name, const std::vector<std::string>& claims = {});
// Bound to the volume.
json::Json claim(const std::string& name_space, const std::string& name, const std::string& volume);
json::Json volume(const std::string& name, const std::string& name_space, const std::string& claim,
                  const std::string& reclaim_policy = "Retain");
json::Json service(const std::string& name_space, const std::string& name);
// A kind "Book" … of library.example.com/v1, without a schema.
json::Json definition(const std::string& plural, const std::string& kind);
json::Json with_label(json::Json object, const std::string& key, const std::string& value);
json::Json with_annotation(json::Json object, const std::string& key, const std::string& value);

// Each with its resource, for archive_of().
std::vector<std::pair<std::string, json::Json>> items_of(const std::vector<json::Json>& objects);

// An action that is written down as functions.
class ScriptedAction final : public extension::RestoreItemAction {
 public:
  using Execute = std::function<Result<extension::RestoreActionResult>(const extension::RestoreActionInput&)>;
  using Ready = std::function<Result<bool>(const std::vector<k8s::ObjectRef>&)>;

  // For these resources; none: for all.
  ScriptedAction(std::vector<std::string> resources, Execute execute, Ready ready = {})
      : resources_(std::move(resources)), execute_(std::move(execute)), ready_(std::move(ready)) {}

  std::string name() const override { return "example.com/scripted"; }
  extension::ActionScope scope() const override { return {.included_resources = resources_}; }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& stop) override;
  Result<bool> are_ready(const std::vector<k8s::ObjectRef>& additional, const json::Json& restore,
                         const std::stop_token& stop) override;

 private:
  const std::vector<std::string> resources_;
  const Execute execute_;
  const Ready ready_;
};

}  // namespace landfall::restore_suite
