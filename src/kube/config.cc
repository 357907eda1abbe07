#include "kube/config.h"

#include <algorithm>

#include "base/strings.h"
#include "kube/kubeconfig.h"

namespace landfall::kube {
namespace {

// Where to look when no file was named on the command line. With $KUBECONFIG set the home directory does not count.
std::vector<std::string> usual_files(const Environment& environment) {
  std::vector<std::string> files;
  const std::string list = environment.get_or("KUBECONFIG", "");
  for (const std::string_view entry : split(list, ':')) {
    if (!entry.empty() && std::ranges::find(files, entry) == files.end()) {
      files.emplace_back(entry);
    }
  }
  const std::string home = environment.get_or("HOME", "");
  if (list.empty() && !home.empty()) {
    files.push_back(home + "/.kube/config");
  }
  return files;
}

Result<Kubeconfig> read_usual_files(const std::vector<std::string>& files) {
  Kubeconfig merged;
  for (const std::string& file : files) {
    auto added = merged.add_file(file);
    if (!added && added.error().code() != Code::kNotFound) {
      return tl::unexpected(std::move(added).error());
    }
  }
  return merged;
}

std::string nothing_in(const std::vector<std::string>& files) {
  return files.empty() ? "neither KUBECONFIG nor HOME is set"
                       : "there is no kubeconfig with anything in it (looked for " + join(files, ", ") + ")";
}

}  // namespace

Result<Config> load_config(const ConfigSource& source, const Environment& environment) {
  if (!source.kubeconfig.empty()) {
    Kubeconfig named;
    TRY("", named.add_file(source.kubeconfig));
    return named.config_for(source.context);
  }
  const std::vector<std::string> files = usual_files(environment);
  TRY_ASSIGN(const Kubeconfig merged, "", read_usual_files(files));
  if (!source.context.empty() && merged.empty()) {
    return fail(Code::kNotFound, "context " + quote(source.context) + ": " + nothing_in(files));
  }
  if (!source.context.empty() || !merged.current_context().empty()) {
    return merged.config_for(source.context);
  }
  // Nothing was chosen. In a pod that means its own cluster, as with every program that is built on client-go.
  Result<Config> in_cluster = in_cluster_config(environment);
  if (in_cluster || in_cluster.error().code() != Code::kNotFound) {
    return in_cluster;
  }
  if (!merged.empty()) {
    return merged.config_for("");  // says what could be chosen
  }
  return fail(Code::kNotFound,
              "no cluster is configured: " + nothing_in(files) + ", and " + in_cluster.error().message());
}

}  // namespace landfall::kube
