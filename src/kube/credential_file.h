#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "kube/config.h"

namespace landfall::kube {

// A token, a certificate or a key: bytes that were given once, or a file that someone may renew. Not thread-safe.
class CredentialFile {
 public:
  // `field` is the name of the file's field in a kubeconfig, for messages.
  CredentialFile(DataOrFile source, std::string field);

  // Reads the file when that was not done yet, when it looks different (time, size, inode), and anyway a minute after
  // the last time: some file systems do not tell. Given bytes are left as they are, and so are those of the last time
  // when it fails: a file that is just being replaced is read again at the next call. An empty file is an error.
  Status refresh(SteadyTime now, bool anyway);

  // What refresh() has found; empty when the source is.
  const std::string& bytes() const { return bytes_; }
  bool is_file() const { return source_.data.empty() && !source_.file.empty(); }
  // `client-certificate-data`, `client-certificate /x/client.crt`
  const std::string& name() const { return name_; }

 private:
  // What a file looks like from outside.
  struct Look {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = -1;
    Duration modified{};
    Duration changed{};
    friend bool operator==(const Look&, const Look&) = default;
  };
  Result<Look> look() const;

  DataOrFile source_;
  std::string name_;
  std::string bytes_;
  Look seen_;  // as it was before it was read
  SteadyTime read_again_ = SteadyTime::min();
};

}  // namespace landfall::kube
