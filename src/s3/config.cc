#include "s3/config.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "io/file.h"

namespace landfall::s3 {
namespace {

using ConfigMap = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 18> kKnownKeys{"bucket",
                                                      "caCert",
                                                      "checksumAlgorithm",
                                                      "credentialsFile",
                                                      "customerKeyEncryptionFile",
                                                      "customerKeyEncryptionSecret",
                                                      "enableSharedConfig",
                                                      "insecureSkipTLSVerify",
                                                      "kmsKeyId",
                                                      "prefix",
                                                      "profile",
                                                      "publicUrl",
                                                      "region",
                                                      "s3ForcePathStyle",
                                                      "s3Url",
                                                      "serverSideEncryption",
                                                      "signatureVersion",
                                                      "tagging"};

constexpr std::size_t kMaxTags = 10;
constexpr std::size_t kMaxTagKey = 128;
constexpr std::size_t kMaxTagValue = 256;
constexpr std::size_t kCustomerKeyBytes = 32;
constexpr std::string_view kArnPrefix = "arn:aws:s3:";

std::string value_of(const ConfigMap& config, const std::string& key) {
  const auto at = config.find(key);
  return at == config.end() ? "" : at->second;
}

Status check_keys(const ConfigMap& config) {
  for (const auto& [key, value] : config) {
    if (!std::ranges::binary_search(kKnownKeys, key)) {
      return fail(Code::kInvalid, "unknown key " + quote(key) + "; known are " + join(kKnownKeys, ", "));
    }
  }
  return {};
}

// The spellings that Go reads as a bool, because existing locations may use any of them.
Result<bool> bool_of(const ConfigMap& config, const std::string& key) {
  static const std::set<std::string, std::less<>> yes{"1", "t", "T", "TRUE", "true", "True"};
  static const std::set<std::string, std::less<>> no{"", "0", "f", "F", "FALSE", "false", "False"};
  const std::string value = value_of(config, key);
  if (!yes.contains(value) && !no.contains(value)) {
    return fail(Code::kInvalid, key + ": " + quote(value) + " is neither \"true\" nor \"false\"");
  }
  return yes.contains(value);
}

Result<std::optional<io::Url>> url_of(const ConfigMap& config, const std::string& key) {
  const std::string text = value_of(config, key);
  if (text.empty()) {
    return std::nullopt;
  }
  TRY_ASSIGN(io::Url url, key + ": expected an address such as https://s3.example.com:9000", io::parse_url(text));
  if (url.scheme != "http" && url.scheme != "https") {
    return fail(Code::kInvalid, key + ": must begin with http:// or https://");
  }
  if (!url.userinfo.empty() || url.query || url.fragment) {
    return fail(Code::kInvalid, key + ": only scheme, host, port and path are expected, no user, query or fragment");
  }
  return url;
}

Result<std::string> bucket_of(const ConfigMap& config) {
  const std::string text = value_of(config, "bucket");
  std::string_view bucket = text;
  while (bucket.starts_with('/')) {
    bucket.remove_prefix(1);
  }
  while (bucket.ends_with('/')) {
    bucket.remove_suffix(1);
  }
  if (bucket.empty()) {
    return fail(Code::kInvalid, "bucket: missing");
  }
  if (contains(bucket, "/") && !bucket.starts_with(kArnPrefix)) {
    return fail(Code::kInvalid, "bucket: " + quote(bucket) + " holds a \"/\"; a folder in the bucket goes into prefix");
  }
  const bool is_plain =
      std::ranges::all_of(bucket, [](char c) { return c > ' ' && c < '\x7f' && c != '?' && c != '#'; });
  if (!is_plain || bucket == "." || bucket == "..") {
    return fail(Code::kInvalid, "bucket: " + quote(bucket) + " cannot be the name of a bucket");
  }
  return std::string(bucket);
}

// Velero asks for at least two tags by an oversight; one is as good.
Status check_tagging(std::string_view tagging) {
  if (tagging.empty()) {
    return {};
  }
  std::set<std::string> keys;
  for (const std::string_view pair : split(tagging, '&')) {
    const auto parts = cut(pair, '=');
    if (!parts || parts->first.empty()) {
      return fail(Code::kInvalid, "tagging: expected key=value pairs joined by \"&\"");
    }
    TRY_ASSIGN(std::string key, "tagging", io::percent_decode(parts->first));
    TRY_ASSIGN(const std::string value, "tagging", io::percent_decode(parts->second));
    if (key.size() > kMaxTagKey || value.size() > kMaxTagValue) {
      return fail(Code::kInvalid, "tagging: a key has at most 128 characters, a value at most 256");
    }
    if (!std::ranges::all_of(pair, [](char c) { return c > ' ' && c < '\x7f'; })) {
      return fail(Code::kInvalid, "tagging: characters other than plain ASCII must be percent-encoded");
    }
    if (!keys.insert(key).second) {
      return fail(Code::kInvalid, "tagging: the key " + quote(key) + " is there twice");
    }
  }
  if (keys.size() > kMaxTags) {
    return fail(Code::kInvalid, "tagging: an object has at most ten tags");
  }
  return {};
}

Result<ChecksumAlgorithm> checksum_of(const ConfigMap& config) {
  const auto at = config.find("checksumAlgorithm");
  if (at == config.end()) {
    return ChecksumAlgorithm::kCrc32;
  }
  if (at->second.empty()) {
    return ChecksumAlgorithm::kNone;
  }
  const auto algorithm = algorithm_named(at->second);
  if (!algorithm) {
    return fail(Code::kInvalid, "checksumAlgorithm: " + quote(at->second) +
                                    " is none of CRC32, CRC32C, SHA1 and SHA256, nor empty for no checksum");
  }
  return *algorithm;
}

Status read_encryption(const ConfigMap& config, S3Config& out) {
  out.kms_key_id = value_of(config, "kmsKeyId");
  out.customer_key_file = value_of(config, "customerKeyEncryptionFile");
  out.customer_key_secret = value_of(config, "customerKeyEncryptionSecret");
  out.server_side_encryption = value_of(config, "serverSideEncryption");
  const bool has_customer_key = !out.customer_key_file.empty() || !out.customer_key_secret.empty();
  if (!out.kms_key_id.empty() && has_customer_key) {
    return fail(Code::kInvalid, "kmsKeyId cannot be used with a customerKeyEncryption… key: choose one");
  }
  if (!out.customer_key_file.empty() && !out.customer_key_secret.empty()) {
    return fail(Code::kInvalid,
                "customerKeyEncryptionFile and customerKeyEncryptionSecret cannot be used together: choose one");
  }
  if (has_customer_key && out.endpoint && out.endpoint->scheme != "https") {
    return fail(Code::kInvalid, "a customerKeyEncryption… key needs https in s3Url: it goes with every request");
  }
  if (has_customer_key) {
    out.server_side_encryption.clear();  // S3 refuses both; Velero lets the customer's key win
  }
  // A KMS key alone means aws:kms, and AES256 beside it is overruled, as in Velero.
  if (!out.kms_key_id.empty() && out.server_side_encryption != "aws:kms:dsse") {
    out.server_side_encryption = "aws:kms";
  }
  return {};
}

bool is_header_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

Status check_header_values(const S3Config& config) {
  if (!is_header_text(config.kms_key_id)) {
    return fail(Code::kInvalid, "kmsKeyId: holds characters that no key id has");
  }
  if (!is_header_text(config.server_side_encryption)) {
    return fail(Code::kInvalid, "serverSideEncryption: expected AES256, aws:kms or aws:kms:dsse");
  }
  const bool is_region = std::ranges::all_of(config.region, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || (c >= 'A' && c <= 'Z');
  });
  if (!is_region) {
    return fail(Code::kInvalid, "region: " + quote(config.region) + " is not the name of a region");
  }
  return {};
}

}  // namespace

Result<S3Config> parse_config(const ConfigMap& config) {
  TRY("config", check_keys(config));
  S3Config out;
  TRY_ASSIGN(out.bucket, "config", bucket_of(config));
  out.region = value_of(config, "region");
  TRY_ASSIGN(out.endpoint, "config", url_of(config, "s3Url"));
  TRY_ASSIGN(out.public_url, "config", url_of(config, "publicUrl"));
  TRY_ASSIGN(out.force_path_style, "config", bool_of(config, "s3ForcePathStyle"));
  TRY_ASSIGN(out.skip_tls_verification, "config", bool_of(config, "insecureSkipTLSVerify"));
  out.ca_pem = value_of(config, "caCert");
  out.credentials_file = value_of(config, "credentialsFile");
  out.profile = value_of(config, "profile");
  TRY("config", read_encryption(config, out));
  TRY_ASSIGN(out.checksum, "config", checksum_of(config));
  out.tagging = value_of(config, "tagging");
  TRY("config", check_tagging(out.tagging));
  TRY("config", check_header_values(out));
  return out;
}

Result<std::string> load_customer_key(const S3Config& config, const ReadSecret& read_secret) {
  std::string key;
  std::string origin;
  if (!config.customer_key_file.empty()) {
    origin = "customerKeyEncryptionFile";
    TRY_ASSIGN(key, origin, io::read_file(config.customer_key_file, 4096));
  } else if (!config.customer_key_secret.empty()) {
    origin = "customerKeyEncryptionSecret";
    const auto parts = cut(config.customer_key_secret, '/');
    if (!parts || parts->first.empty() || parts->second.empty()) {
      return fail(Code::kInvalid, origin + ": expected secret/key, the name of a Secret and of a key in it");
    }
    if (!read_secret) {
      return fail(Code::kUnsupported, origin + ": Secrets cannot be read here; use customerKeyEncryptionFile");
    }
    TRY_ASSIGN(key, origin, read_secret(std::string(parts->first), std::string(parts->second)));
  } else {
    return std::string();
  }
  if (key.size() != kCustomerKeyBytes) {
    return fail(Code::kInvalid, origin + ": the key must have exactly 32 bytes, it has " + std::to_string(key.size()) +
                                    " (a line break at the end counts)");
  }
  return key;
}

}  // namespace landfall::s3
