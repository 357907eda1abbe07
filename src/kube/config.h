#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace landfall::kube {

// Bytes given in the configuration itself, or the file that holds them.
struct DataOrFile {
  std::string data;  // decoded; wins over the file
  std::string file;  // absolute

  bool empty() const { return data.empty() && file.empty(); }
};

// A program that hands out credentials (client.authentication.k8s.io v1 and v1beta1).
struct ExecPlugin {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string install_hint;
  bool provide_cluster_info = false;
  std::string cluster_config;  // JSON: what the cluster's entry holds for plugins in its extensions; empty: nothing
};

// Acting as someone else.
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

// How to reach one API server, and as whom: one context of a kubeconfig with everything it refers to. Holds secrets:
// never log it.
struct Config {
  std::string origin;  // for messages: "context prod of /root/.kube/config"
  std::string server;
  DataOrFile certificate_authority;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;
  std::string proxy_url;
  bool disable_compression = false;

  DataOrFile client_certificate;
  DataOrFile client_key;
  std::string token;
  std::string token_file;  // wins over token, read again when it changes
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;
  Impersonation impersonate;

  std::string namespace_name;  // of the context; empty means "default"
};

// What the user said.
struct ConfigSource {
  std::string kubeconfig;  // --kubeconfig; else $KUBECONFIG (a list, merged), else ~/.kube/config
  std::string context;     // --kubecontext; else current-context
};

// As kubectl reads it, with in-cluster configuration as the last resort when no file was named and none is there.
// Errors are one sentence that names the file and the field.
Result<Config> load_config(const ConfigSource& source, const Environment& environment);

// From the service account of the pod we run in. kNotFound outside a cluster. `root` is for tests.
Result<Config> in_cluster_config(const Environment& environment, const std::string& root = "");

}  // namespace landfall::kube
