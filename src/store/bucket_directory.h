#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/descriptor.h"

namespace landfall::store {

// Where a bucket is on the file system, and how messages speak of it. A value.
class BucketDirectory {
 public:
  // From the settings of a storage location (filesystem_store.h).
  static Result<BucketDirectory> of(const std::map<std::string, std::string>& config);
  // kInvalid when the path is not absolute or the bucket is more than one name.
  static Result<BucketDirectory> at(const std::string& path, const std::string& bucket);

  const std::string& path() const { return path_; }
  // kNotFound when it does not exist.
  Result<io::Descriptor> open() const;
  // No error when it exists.
  Status create() const;

  // "directory /srv/bucket: object \"a/b\"", the context of an error.
  std::string naming(std::string_view key) const;
  std::string naming_folder(std::string_view folder) const;

 private:
  BucketDirectory(std::string parent, std::string path) : parent_(std::move(parent)), path_(std::move(path)) {}
  std::string parent_;
  std::string path_;
};

}  // namespace landfall::store
