#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/context.h"
#include "cli/get_command.h"
#include "cli/nouns.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::cli {

// Objects that a command makes.

using StringMap = std::map<std::string, std::string>;

// As Velero's command line makes it, empty status included.
json::Json new_object(const api::Kind& kind, const std::string& name, const std::string& name_space, json::Json spec,
                      const StringMap& labels = {}, const StringMap& annotations = {});

// kInvalid, with the rule, for what can be no name. Called as `velero` the API server says so.
Status check_name(const Noun& noun, const std::string& name, const Context& context);

// -o, -L and --show-labels of a create command: any -o prints the object, and nothing is sent.
struct CreateOutputFlags {
  std::string format;
  LabelColumns labels;
};
void add_create_output_flags(const Command& command, CreateOutputFlags& flags);
// The object in that format; `get` is the command whose table it is shown in.
Status print_instead(const CreateOutputFlags& flags, const json::Json& object, const GetCommand& get,
                     const Context& context);

// Sends it. kNotFound says what is missing, the definitions or the namespace; kAlreadyExists which name is taken.
Result<json::Json> create_object(kube::Client& client, const Noun& noun, const json::Json& object,
                                 const Context& context);

// Says on the error output that these flags are stored and do nothing yet. Says nothing for none, nor as `velero`.
Status say_no_effect_yet(const std::vector<std::string>& flags, const Context& context);

}  // namespace landfall::cli
