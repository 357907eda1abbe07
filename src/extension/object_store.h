#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "extension/object_source.h"
#include "io/stream.h"

namespace landfall::extension {

// What a store can do beyond the least that all of them can. Plugins implement the same interface and can do less.
struct StoreCapabilities {
  bool keeps_empty_objects = false;  // an object of no bytes exists
  bool lists_sizes = false;          // ObjectInfo::size is there
  bool signs_urls = false;           // signed_url()
  bool creates_if_absent = false;    // PutOptions::if_absent
  std::size_t longest_part = 1024;   // bytes of a key between two "/"; a longer one is kInvalid
};

struct ObjectInfo {
  std::string key;
  std::optional<std::uint64_t> size;
};

struct PutOptions {
  // kAlreadyExists when there is an object of that key already, decided by the store; kUnsupported where it cannot.
  bool if_absent = false;
};

// One bucket (or a directory that serves as one): objects under keys like "backups/nightly/velero-backup.json".
//
// An object is there as a whole or not at all, also when a put fails or its process dies half way; what a put has
// stored is seen by every later call. Keys are refused with kInvalid unless check_key() accepts them. Errors say what
// the caller can do: kNotFound (no such object, or no such bucket, which the message says), kUnauthenticated,
// kForbidden, kThrottled, kUnavailable … and name bucket and key, never a credential. No call hangs: drivers give up on
// a peer that is silent. A stop ends any call within a second (kCancelled). Thread-safe.
class ObjectStore {
 public:
  using Visit = std::function<Status(const ObjectInfo&)>;

  ObjectStore() = default;
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;
  virtual ~ObjectStore() = default;

  virtual StoreCapabilities capabilities() const = 0;

  // Stores the object in place of the one before it.
  virtual Status put(std::string_view key, const ObjectSource& source, const PutOptions& options,
                     const std::stop_token& stop) = 0;
  // Returns when the object has been found. The reader fails rather than ending early; it may outlive the store.
  virtual Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) = 0;
  virtual Result<bool> exists(std::string_view key, const std::stop_token& stop) = 0;

  // Visits the objects whose keys begin with `prefix` ("" for all), in the order of their bytes. An error of the
  // visitor ends the listing with that error. Nothing there is no error.
  virtual Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) = 0;
  // The folders below a prefix that is empty or ends in "/": "backups/" gives "backups/nightly/", in order.
  virtual Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) = 0;

  // Removes objects; those that are not there are no error. All are tried; the error names the first that failed.
  virtual Status remove(std::span<const std::string> keys, const std::stop_token& stop) = 0;

  // An address from which anyone can GET the object for a while. kUnsupported without the capability.
  virtual Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                         const std::stop_token& stop) = 0;

  // Removes what puts below a prefix have left behind that died with their process and began before a moment; how many
  // those were. The prefix must be a folder that is the caller's alone.
  virtual Result<std::size_t> sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) = 0;
};

// Keys that every store and every file system can keep: 1 to 1024 bytes of UTF-8 without control characters or
// backslashes, in parts between "/" none of which is empty, ".", ".." or longer than 255 bytes. kInvalid otherwise.
Status check_key(std::string_view key);

}  // namespace landfall::extension
