#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "extension/object_store.h"
#include "s3/client.h"

namespace landfall::s3 {

// Stores an object: in one request when it fits into one part, in parts otherwise (multipart_upload.h).
Status upload(Client& client, const std::string& key, const extension::ObjectSource& source,
              const extension::PutOptions& options, const std::stop_token& stop);

// Tells an object that we have just stored from one that somebody else has: a request that is tried again after its
// answer was lost finds its own object in the way.
class UploadMark {
 public:
  UploadMark();
  // For the request that makes the object.
  void add_to(io::HttpHeaders& headers) const;
  Result<bool> is_on(Client& client, const std::string& key, const std::stop_token& stop) const;

 private:
  std::string id_;
};

// What became of a request that makes an object: its own error, unless the object is there with the mark on it.
Status settle(Client& client, const std::string& key, const UploadMark& mark, Status outcome,
              const std::stop_token& stop);

}  // namespace landfall::s3
