#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/result.h"
#include "extension/object_store.h"
#include "s3/config.h"
#include "s3/tuning.h"

namespace landfall::s3 {

class Client;

struct S3Options {
  Logger logger;
  S3Tuning tuning;
  // Reads a key of a Secret in the server's namespace, for customerKeyEncryptionSecret; called by open_s3().
  ReadSecret read_secret;
};

// Objects in a bucket of S3 or of a server that speaks its protocol. Made by open_s3(). Thread-safe.
//
// Every request is tried again when the fault may pass. A put of more than one part goes in parts, several at a time,
// and leaves nothing behind when it fails; parts that a dead process left are for sweep(). A get that is cut
// goes on where it was, as long as the object is the same.
class S3Store final : public extension::ObjectStore {
 public:
  explicit S3Store(std::shared_ptr<Client> client);
  ~S3Store() override;
  S3Store(const S3Store&) = delete;
  S3Store& operator=(const S3Store&) = delete;

  extension::StoreCapabilities capabilities() const override;
  Status put(std::string_view key, const extension::ObjectSource& source, const extension::PutOptions& options,
             const std::stop_token& stop) override;
  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override;
  Result<bool> exists(std::string_view key, const std::stop_token& stop) override;
  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override;
  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override;
  // Takes the keys of pseudo folders ("backups/nightly/") as well, as consoles make them: list() shows them, too.
  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override;
  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& stop) override;

  // Aborts multipart uploads: S3 does not tell whose they are.
  Result<std::size_t> sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A store from the config of a BackupStorageLocation as engines hand it over: Velero's keys for the provider aws, plus
// `bucket`, `prefix` (which is not applied here: keys are from the root of the bucket), `caCert` and `credentialsFile`.
// Reads files (credentials, keys) and nothing else: a server that is not there shows with the first call. The clock
// must outlive the store and its readers.
Result<std::unique_ptr<S3Store>> open_s3_store(const std::map<std::string, std::string>& config,
                                               const Environment& environment, Clock& clock,
                                               const S3Options& options = {});
Result<std::unique_ptr<extension::ObjectStore>> open_s3(const std::map<std::string, std::string>& config,
                                                        const Environment& environment, Clock& clock,
                                                        const S3Options& options = {});

}  // namespace landfall::s3
