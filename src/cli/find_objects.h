#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "cli/nouns.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/resource.h"

namespace landfall::cli {

// The objects of one kind that a command is about. An empty namespace means all of them.
class ObjectFinder {
 public:
  ObjectFinder(kube::Client& client, Noun noun, std::string name_space, const Context& context)
      : resource_(client, noun.kind.resource(), std::move(name_space)), noun_(noun), context_(context) {}

  const kube::Resource& resource() const { return resource_; }
  const Noun& noun() const { return noun_; }

  // kNotFound names the one that is spelled most nearly so, or says how to see which there are.
  Result<json::Json> one(const std::string& name) const;
  // Those of these names, in that order; all that match the selector where no name is given.
  Result<std::vector<json::Json>> some(const std::vector<std::string>& names, const std::string& selector) const;

 private:
  Error not_found(const std::string& name) const;

  kube::Resource resource_;
  Noun noun_;
  const Context& context_;
};

// What the list of a velero.io kind failed with, in the user's terms: without the definitions nothing is installed.
Error explained(const Error& error, const Context& context);

}  // namespace landfall::cli
