#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/url.h"
#include "s3/checksum.h"

namespace landfall::s3 {

// What a BackupStorageLocation of the provider aws says, in Velero's keys. A plain value.
struct S3Config {
  std::string bucket;                  // a name, or the ARN of an access point
  std::string region;                  // "" when it is to be found out
  std::optional<io::Url> endpoint;     // s3Url; none: AWS
  std::optional<io::Url> public_url;   // for signed URLs, where clients reach the server by another address
  bool force_path_style = false;       // https://host/bucket/key rather than https://bucket.host/key
  bool skip_tls_verification = false;  //
  std::string ca_pem;                  // authorities to trust instead of the system's
  std::string credentials_file;        // "" for the environment's
  std::string profile;                 // "" for the environment's, or "default"
  std::string server_side_encryption;  // "AES256", "aws:kms" …; "" leaves it to the bucket
  std::string kms_key_id;              //
  std::string customer_key_file;       // at most one of the two
  std::string customer_key_secret;     // "secret/key" in the server's namespace
  ChecksumAlgorithm checksum = ChecksumAlgorithm::kCrc32;
  std::string tagging;  // "k=v&k2=v2", encoded as it is sent
};

// kInvalid with the key that is wrong and what would be right. Keys that nobody knows are wrong, as they are to Velero:
// a misspelt one would be ignored silently.
Result<S3Config> parse_config(const std::map<std::string, std::string>& config);

using ReadSecret = std::function<Result<std::string>(const std::string& secret, const std::string& key)>;

// The 32 bytes of the customer's key from where the config says, or "" when it names none.
Result<std::string> load_customer_key(const S3Config& config, const ReadSecret& read_secret);

}  // namespace landfall::s3
