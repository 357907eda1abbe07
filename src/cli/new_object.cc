#include "cli/new_object.h"

#include <utility>

#include "base/strings.h"
#include "cli/find_objects.h"
#include "cli/output.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {

using json::Json;

Json new_object(const api::Kind& kind, const std::string& name, const std::string& name_space, Json spec,
                const StringMap& labels, const StringMap& annotations) {
  Json object = {{"apiVersion", kind.api_version()},
                 {"kind", std::string(kind.name)},
                 {"metadata", {{"name", name}, {"namespace", name_space}}},
                 {"spec", std::move(spec)},
                 {"status", Json::object()}};
  if (!labels.empty()) object["metadata"]["labels"] = labels;
  if (!annotations.empty()) object["metadata"]["annotations"] = annotations;
  return object;
}

Status check_name(const Noun& noun, const std::string& name, const Context& context) {
  const auto problems = k8s::dns1123_subdomain_problems(name);
  if (problems.empty() || context.called_as_velero()) return {};
  return fail(Code::kInvalid,
              quote(name) + " can be no name of a " + std::string(noun.word) + ": " + k8s::joined(problems));
}

void add_create_output_flags(const Command& command, CreateOutputFlags& flags) {
  command.choice("-o,--output", flags.format, {"table", "json", "yaml", "name"}, "Print it, and create nothing");
  add_label_column_flags(command, flags.labels);
}

Status print_instead(const CreateOutputFlags& flags, const Json& object, const GetCommand& get,
                     const Context& context) {
  if (flags.format == "table") return context.out.write(table_text(get, {object}, flags.labels, context));
  return context.out.write(objects_text({object}, format_of({.format = flags.format})));
}

Result<Json> create_object(kube::Client& client, const Noun& noun, const Json& object, const Context& context) {
  const k8s::ObjectView view(object);
  const std::string name(view.name());
  const std::string name_space(view.name_space());
  const kube::Resource resource(client, noun.kind.resource(), name_space);
  auto created = resource.create(object, context.stop);
  if (created) return created;
  if (created.error().code() == Code::kAlreadyExists) {
    return fail(Code::kAlreadyExists, std::string(noun.word) + " " + quote(name) + " already exists in namespace " +
                                          quote(name_space) + ": choose another name, or delete it first");
  }
  if (created.error().code() != Code::kNotFound) {
    return fail(std::string(noun.word) + " " + name, std::move(created).error());
  }
  const auto listed = resource.list({}, context.stop);
  if (!listed) return tl::unexpected(explained(listed.error(), context));
  return fail(Code::kNotFound, "namespace " + quote(name_space) + " not found: run '" + context.program +
                                   " install' first, or name the server's with -n");
}

Status say_no_effect_yet(const std::vector<std::string>& flags, const Context& context) {
  if (flags.empty() || context.called_as_velero()) return {};
  return context.err.write(
      "Note: " + join(flags, ", ") +
      (flags.size() == 1 ? " is stored, but has no effect yet" : " are stored, but have no effect yet") + ".\n");
}

}  // namespace landfall::cli
