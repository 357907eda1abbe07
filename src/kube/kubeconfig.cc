#include "kube/kubeconfig.h"

#include <filesystem>

#include "base/strings.h"
#include "io/file.h"
#include "json/access.h"
#include "json/json.h"
#include "kube/written_document.h"

namespace landfall::kube {
namespace {

constexpr std::size_t kMaxFile = std::size_t{16} << 20U;
// Of hundreds of contexts the first few show what the names look like.
constexpr std::size_t kMaxNames = 20;

Status check_kind(const json::Json& document) {
  TRY_ASSIGN(const std::string kind, "", text_at(document, {"kind"}));
  if (!kind.empty() && kind != "Config") {
    return fail(Code::kInvalid, "kind: expected Config, got " + quote(kind));
  }
  TRY_ASSIGN(const std::string version, "", text_at(document, {"apiVersion"}));
  if (!version.empty() && version != "v1") {
    return fail(Code::kInvalid, "apiVersion: expected v1, got " + quote(version));
  }
  return {};
}

Result<json::Json> content_of(const json::Json& element, std::string_view member) {
  if (!json::has(element, {member})) {
    return json::Json::object();
  }
  TRY_ASSIGN(const json::Json* content, "", json::object_at(element, {member}));
  return *content;
}

}  // namespace

Status Kubeconfig::add_file(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  TRY_ASSIGN(const std::string text, "kubeconfig", io::read_file(absolute.string(), kMaxFile));
  return add_text(absolute.lexically_normal().string(), text);
}

Status Kubeconfig::add_text(const std::string& path, std::string_view text) {
  const std::string place = "kubeconfig " + path;
  TRY_ASSIGN(const json::Json document, place, parse_json_or_yaml(text));
  files_.push_back(path);
  if (document.is_null()) {
    return {};  // an empty file, or one with comments only
  }
  if (!document.is_object()) {
    return fail(Code::kInvalid, place + ": expected an object, got " + std::string(json::type_name(document)));
  }
  TRY(place, check_kind(document));
  TRY_ASSIGN(const std::string current, place, text_at(document, {"current-context"}));
  if (current_context_.empty()) {
    current_context_ = current;
  }
  TRY(place, add_entries(path, document, "clusters", "cluster", clusters_));
  TRY(place, add_entries(path, document, "users", "user", users_));
  TRY(place, add_entries(path, document, "contexts", "context", contexts_));
  return {};
}

Status Kubeconfig::add_entries(const std::string& path, const json::Json& document, const std::string& list,
                               std::string_view member, Entries& entries) {
  const json::Json* elements = json::find(document, {list});
  if (elements == nullptr) {
    return {};
  }
  TRY("", json::array_at(document, {list}));
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const std::string index = list + "[" + std::to_string(i) + "]";
    const json::Json& element = (*elements)[i];
    if (!element.is_object()) {
      return fail(Code::kInvalid, index + ": expected an object, got " + std::string(json::type_name(element)));
    }
    TRY_ASSIGN(const std::string name, index, text_at(element, {"name"}));
    const auto [first, is_new] = seen.emplace(name, i);
    if (!is_new) {
      return fail(Code::kInvalid, index + ": the name " + quote(name) + " is taken by " + list + "[" +
                                      std::to_string(first->second) + "]");
    }
    TRY_ASSIGN(json::Json content, index + " " + quote(name), content_of(element, member));
    entries.emplace(name, KubeconfigEntry{.file = path,
                                          .place = "kubeconfig " + path + ": " + index + " " + quote(name),
                                          .value = std::make_shared<const json::Json>(std::move(content))});
  }
  return {};
}

bool Kubeconfig::empty() const {
  return clusters_.empty() && users_.empty() && contexts_.empty() && current_context_.empty();
}

std::string Kubeconfig::known_contexts() const {
  if (contexts_.empty()) {
    return "there are none";
  }
  std::vector<std::string_view> names;
  for (const auto& [name, entry] : contexts_) {
    names.emplace_back(name);
    if (names.size() == kMaxNames) {
      break;
    }
  }
  const std::string more =
      contexts_.size() > kMaxNames ? " and " + std::to_string(contexts_.size() - kMaxNames) + " more" : "";
  return "there are: " + join(names, ", ") + more;
}

Result<const KubeconfigEntry*> Kubeconfig::find_context(const std::string& name) const {
  const std::string place = "kubeconfig " + join(files_, ", ");
  const bool was_named = !name.empty();
  const std::string& wanted = was_named ? name : current_context_;
  if (wanted.empty()) {
    return fail(Code::kNotFound, place + ": current-context: is not set, name a context (" + known_contexts() + ")");
  }
  const auto found = contexts_.find(wanted);
  if (found == contexts_.end()) {
    return fail(
        Code::kNotFound,
        was_named ? "context " + quote(wanted) + " is not in " + place + " (" + known_contexts() + ")"
                  : place + ": current-context: there is no context " + quote(wanted) + " (" + known_contexts() + ")");
  }
  return &found->second;
}

Result<const KubeconfigEntry*> Kubeconfig::find_referred(const KubeconfigEntry& context, std::string_view field,
                                                         const Entries& entries) const {
  TRY_ASSIGN(const std::string name, "", context.text(field));
  if (name.empty()) {
    return nullptr;
  }
  const auto found = entries.find(name);
  if (found == entries.end()) {
    const std::string where = files_.size() == 1 ? "which is not in it" : "which is not in " + join(files_, ", ");
    return context.error("names the " + std::string(field) + " " + quote(name) + ", " + where);
  }
  return &found->second;
}

Result<Config> Kubeconfig::config_for(const std::string& context) const {
  TRY_ASSIGN(const KubeconfigEntry* chosen, "", find_context(context));
  TRY_ASSIGN(const KubeconfigEntry* cluster, "", find_referred(*chosen, "cluster", clusters_));
  if (cluster == nullptr) {
    return chosen->error("names no cluster");
  }
  TRY_ASSIGN(const KubeconfigEntry* user, "", find_referred(*chosen, "user", users_));

  Config config;
  config.origin = "context " + (context.empty() ? current_context_ : context) + " of " + chosen->file;
  if (user != nullptr && user->file != chosen->file) {
    config.origin += " with its user in " + user->file;  // where the field is that an error will be about
  }
  TRY_ASSIGN(config.namespace_name, "", chosen->text("namespace"));
  TRY("", read_cluster(*cluster, config));
  if (user != nullptr) {  // without one it is the anonymous user
    TRY("", read_user(*user, config));
  }
  if (config.exec) {
    TRY_ASSIGN(config.exec->cluster_config, "", read_exec_extension(*cluster));
  }
  return config;
}

}  // namespace landfall::kube
