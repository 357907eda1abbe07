#include "cli_admin/debug_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/strings.h"

namespace landfall::cli {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class List>
bool is_in(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// The words in a name, in small letters: "AWSSecretKey2" is aws, secret, key.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c)) {
      if (!is_digit(c)) words.emplace_back();
      continue;
    }
    const bool begins =
        is_upper(c) && i > 0 && (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if (begins) words.emplace_back();
    words.back() += to_lower(name.substr(i, 1));
  }
  return words;
}

bool is_secret_word(std::string_view word) {
  static constexpr std::array<std::string_view, 11> kWhole{"pw",   "keys", "sig", "sas",   "jwt",    "otp",
                                                           "salt", "dsn",  "psk", "creds", "apikeys"};
  static constexpr std::array<std::string_view, 10> kWithin{"password", "passwd",       "passphrase", "passcode",
                                                            "secret",   "token",        "credential", "signature",
                                                            "cookie",   "authorization"};
  static constexpr std::array<std::string_view, 6> kAtEnd{"pass", "pwd", "key", "auth", "cred", "bearer"};
  if (word.empty()) return false;
  return is_in(kWhole, word) || std::ranges::any_of(kWithin, [&](auto part) { return contains(word, part); }) ||
         std::ranges::any_of(kAtEnd, [&](auto part) { return word.ends_with(part); });
}

// As they stand, in small letters.
constexpr std::array<std::string_view, 20> kHarmless{"secretname",
                                                     "secretnames",
                                                     "secretnamespace",
                                                     "keyname",
                                                     "publickey",
                                                     "kmskeyid",
                                                     "ebskmskeyid",
                                                     "signatureversion",
                                                     "topologykey",
                                                     "matchlabelkeys",
                                                     "mismatchlabelkeys",
                                                     "automountserviceaccounttoken",
                                                     "volumegroupsnapshotlabelkey",
                                                     "volume-group-snapshot-label-key",
                                                     "credentialname",
                                                     "secretref",
                                                     "secretkeyref",
                                                     "configmapkeyref",
                                                     "imagepullsecrets",
                                                     "serviceaccounttoken"};

}  // namespace

bool is_secret_name(std::string_view name) {
  while (name.starts_with("-")) name.remove_prefix(1);
  const std::string small = to_lower(name);
  if (is_in(kHarmless, small)) return false;
  if (contains(small, "connectionstring") || contains(small, "connection-string") ||
      contains(small, "connection_string")) {
    return true;
  }
  return std::ranges::any_of(words_of(name), [](const std::string& word) { return is_secret_word(word); });
}

bool is_reference(std::string_view field) {
  static constexpr std::array<std::string_view, 11> kReferences{
      "credential", "secret",           "secretRef",           "secretKeyRef",         "configMapKeyRef", "keyRef",
      "caCertRef",  "imagePullSecrets", "serviceAccountToken", "nodePublishSecretRef", "secrets"};
  return is_in(kReferences, field);
}

bool is_kept_variable(std::string_view name, std::string_view value) {
  static constexpr std::array<std::string_view, 19> kVariables{"VELERO_NAMESPACE",
                                                               "VELERO_SCRATCH_DIR",
                                                               "LANDFALL_NAMESPACE",
                                                               "LD_LIBRARY_PATH",
                                                               "NODE_NAME",
                                                               "POD_NAME",
                                                               "POD_NAMESPACE",
                                                               "POD_IP",
                                                               "TZ",
                                                               "LANG",
                                                               "LC_ALL",
                                                               "HOME",
                                                               "TMPDIR",
                                                               "GOMAXPROCS",
                                                               "GOMEMLIMIT",
                                                               "GOGC",
                                                               "AWS_REGION",
                                                               "AWS_DEFAULT_REGION",
                                                               "AWS_CLUSTER_NAME"};
  static constexpr std::array<std::string_view, 7> kPaths{"AWS_SHARED_CREDENTIALS_FILE",
                                                          "AWS_CONFIG_FILE",
                                                          "AWS_WEB_IDENTITY_TOKEN_FILE",
                                                          "GOOGLE_APPLICATION_CREDENTIALS",
                                                          "AZURE_CREDENTIALS_FILE",
                                                          "ALIBABA_CLOUD_CREDENTIALS_FILE",
                                                          "SSL_CERT_FILE"};
  if (is_in(kVariables, name)) return true;
  if (!is_in(kPaths, name) || !value.starts_with("/")) return false;
  return std::ranges::all_of(value, [](char c) {
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '/' || c == '.' || c == '-' || c == '_';
  });
}

bool is_kept_setting(std::string_view key) {
  static constexpr std::array<std::string_view, 39> kSettings{"region",
                                                              "s3Url",
                                                              "publicUrl",
                                                              "s3ForcePathStyle",
                                                              "profile",
                                                              "serverSideEncryption",
                                                              "kmsKeyId",
                                                              "kmsKeyName",
                                                              "ebsKmsKeyId",
                                                              "insecureSkipTLSVerify",
                                                              "signatureVersion",
                                                              "checksumAlgorithm",
                                                              "tagging",
                                                              "path",
                                                              "bucket",
                                                              "prefix",
                                                              "resourceGroup",
                                                              "storageAccount",
                                                              "storageAccountURI",
                                                              "subscriptionId",
                                                              "useAAD",
                                                              "activeDirectoryAuthorityURI",
                                                              "blockSizeInBytes",
                                                              "project",
                                                              "serviceAccount",
                                                              "snapshotLocation",
                                                              "volumeProject",
                                                              "apiTimeout",
                                                              "incremental",
                                                              "enableSharedConfig",
                                                              "resticRepoPrefix",
                                                              "cloudName",
                                                              "snapshotType",
                                                              "cacheLimitMB",
                                                              "fullMaintenanceInterval",
                                                              "ParallelFilesUpload",
                                                              "WriteSparseFiles",
                                                              "RestoreConcurrency",
                                                              "repoBackend"};
  return is_in(kSettings, key);
}

bool is_kept_flag(std::string_view flag) {
  static constexpr std::array<std::string_view, 59> kFlags{"--artifacts-address",
                                                           "--artifacts-url",
                                                           "--backup-repository-configmap",
                                                           "--backup-storage-location",
                                                           "--backup-sync-period",
                                                           "--client-burst",
                                                           "--client-page-size",
                                                           "--client-qps",
                                                           "--colorized",
                                                           "--concurrent-backups",
                                                           "--data-download",
                                                           "--data-mover-prepare-timeout",
                                                           "--data-upload",
                                                           "--default-backup-storage-location",
                                                           "--default-backup-ttl",
                                                           "--default-item-operation-timeout",
                                                           "--default-repo-maintain-frequency",
                                                           "--default-snapshot-move-data",
                                                           "--default-volume-snapshot-locations",
                                                           "--default-volumes-to-fs-backup",
                                                           "--disable-controllers",
                                                           "--disable-informer-cache",
                                                           "--features",
                                                           "--fs-backup-timeout",
                                                           "--garbage-collection-frequency",
                                                           "--global-backup-volume-policies-configmap",
                                                           "--item-block-worker-count",
                                                           "--item-operation-sync-frequency",
                                                           "--keep-latest-maintenance-jobs",
                                                           "--leader-elect",
                                                           "--log-format",
                                                           "--log-level",
                                                           "--logtostderr",
                                                           "--max-concurrent-k8s-connections",
                                                           "--metrics-address",
                                                           "--namespace",
                                                           "--node-agent-configmap",
                                                           "--object-store-plugins",
                                                           "--plugin-dir",
                                                           "--pod-volume-backup",
                                                           "--pod-volume-operation-timeout",
                                                           "--pod-volume-restore",
                                                           "--profiler-address",
                                                           "--repo-maintenance-job-configmap",
                                                           "--repo-name",
                                                           "--repo-type",
                                                           "--resource-timeout",
                                                           "--restore-managed-fields",
                                                           "--restore-only",
                                                           "--restore-resource-priorities",
                                                           "--schedule-skip-immediately",
                                                           "--store-validation-frequency",
                                                           "--terminating-resource-timeout",
                                                           "--uploader-type",
                                                           "--verbose",
                                                           "--volume-group-snapshot-label-key",
                                                           "--volume-mode",
                                                           "--volume-path",
                                                           "--v"};
  return is_in(kFlags, flag);
}

bool is_kept_word(std::string_view word) {
  static constexpr std::array<std::string_view, 9> kWords{"server",     "node-agent",       "data-mover",
                                                          "pod-volume", "backup",           "restore",
                                                          "restic",     "repo-maintenance", "maintenance"};
  return is_in(kWords, word);
}

bool is_known_annotation(std::string_view key) {
  static constexpr std::array<std::string_view, 6> kDomains{"velero.io", "landfall.dev", "kubernetes.io",
                                                            "k8s.io",    "meta.helm.sh", "helm.sh"};
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view prefix = key.substr(0, slash);
  return std::ranges::any_of(kDomains, [&](std::string_view domain) {
    return prefix == domain || (prefix.ends_with(domain) && prefix[prefix.size() - domain.size() - 1] == '.');
  });
}

}  // namespace landfall::cli
