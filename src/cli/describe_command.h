#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/artifacts.h"
#include "cli/command.h"
#include "cli/nouns.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::cli {

// What the text of one object is made of.
struct DescribeRequest {
  const json::Json& object;
  std::size_t objects;  // that the command is about
  bool details;
  kube::Client& client;
  const Artifacts& artifacts;  // one for all objects: an address that leads nowhere is tried once
  const GlobalFlags& global;
  const Context& context;
};

// One `describe` command: which objects, and what is said about each.
struct DescribeCommand {
  Noun noun;
  std::string help;
  std::function<Result<std::string>(const DescribeRequest& request)> text;
  bool has_files = true;              // of its own, in the bucket: --details, and how they are fetched
  bool is_of_all_namespaces = false;  // as some of Velero's lists are when no name is given
  std::function<void(const Command& command)> add_flags = {};
};

// Adds it with names and -l. Objects stand apart by two lines, as Velero's.
Command add_describe(const Command& group, const std::string& word, DescribeCommand describe);

}  // namespace landfall::cli
