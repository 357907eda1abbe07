#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "progress/byte_reporter.h"

namespace landfall::extension {

// A bucket of S3 as other programs need it. Keys and token are secret.
struct S3Access {
  std::string endpoint;  // "https://host:port"
  std::string bucket;
  std::string region;  // may be empty
  std::string access_key;
  std::string secret_key;
  std::string session_token;
};

// Where the files of volumes are kept, and what opens it.
struct RepositoryAccess {
  std::optional<S3Access> s3;
  std::string path;      // in the bucket ("prefix/restic/shop"); without one a directory of this machine
  std::string password;  // secret
  std::string ca_pem;    // authorities to trust beside the system's
  bool skips_tls_verification = false;
  bool is_read_only = false;  // nothing may be written there, not even a lock
};

struct UploadRequest {
  std::string directory;
  std::map<std::string, std::string> tags;
  std::string parent;  // a snapshot whose unchanged files need not be read again; empty: none
};

struct UploadedVolume {
  std::string snapshot;            // empty for a volume without files: none was taken
  ByteCount total;                 // of all files in it
  std::optional<ByteCount> added;  // of what the repository did not have
  // What is not in the snapshot, with the reason; the first few, and how many there are.
  std::vector<std::string> unreadable;
  std::size_t unreadable_count = 0;
};

struct DownloadRequest {
  std::string snapshot;
  std::string directory;  // is there; what it holds beside the files of the snapshot stays
  bool writes_sparse_files = false;
};

enum class IfMissing { kFail, kCreate };

// Copies the files of volumes into a repository and back. Calls take as long as the data; a stop ends them within
// seconds. Errors say what can be done: kNotFound (no such repository or snapshot), kUnsupported (no
// program to do it with, or one that cannot: the message says what to install), kUnauthenticated (another password),
// kConflict (locked by somebody who lives), kUnavailable …; no message holds a secret. Thread-safe.
class Uploader {
 public:
  Uploader() = default;
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;
  virtual ~Uploader() = default;

  // spec.uploaderType: "restic", "kopia"
  virtual std::string_view type() const = 0;
  // spec.repoIdentifier: the place in the uploader's own words, without a secret; empty for those that have none.
  virtual std::string address(const RepositoryAccess& /*repository*/) const { return {}; }
  // Some only bring back what others have stored.
  virtual bool can_upload() const { return true; }

  // Sees that the repository can be opened, or makes it. Again and again: one that is there stays as it is.
  virtual Status open(const RepositoryAccess& repository, IfMissing if_missing, const std::stop_token& stop) = 0;
  // The reporter hears the total once it is known, and every byte; finish() is the caller's.
  virtual Result<UploadedVolume> upload(const RepositoryAccess& repository, const UploadRequest& request,
                                        progress::ByteReporter& reporter, const std::stop_token& stop) = 0;
  // Returns the size of the files of the snapshot, all of which are there.
  virtual Result<ByteCount> download(const RepositoryAccess& repository, const DownloadRequest& request,
                                     progress::ByteReporter& reporter, const std::stop_token& stop) = 0;
  // Snapshots that are gone already are none of its worries.
  virtual Status forget(const RepositoryAccess& repository, const std::vector<std::string>& snapshots,
                        const std::stop_token& stop) = 0;
  // Takes away locks of processes of this machine that have died.
  virtual Status unlock(const RepositoryAccess& /*repository*/, const std::stop_token& /*stop*/) { return {}; }
  // Frees what no snapshot needs any more, and what dead processes left.
  virtual Status maintain(const RepositoryAccess& repository, const std::stop_token& stop) = 0;
};

}  // namespace landfall::extension
