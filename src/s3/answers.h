#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "extension/object_store.h"
#include "s3/sigv4.h"

// What S3 and STS answer, from XML. Pure functions; an answer that makes no sense is kDataLoss.

namespace landfall::s3 {

// How much of an answer is read: a page of a thousand keys, all of them as long as can be, each byte encoded as three.
inline constexpr std::size_t kMaxAnswer = 4UL << 20U;

struct ListPage {
  std::vector<extension::ObjectInfo> objects;
  std::vector<std::string> folders;  // common prefixes
  std::string next;                  // the continuation token; "" at the end
};
Result<ListPage> parse_list(std::string_view xml);

Result<std::string> parse_upload_id(std::string_view xml);

struct KeyError {
  std::string key;
  std::string code;
  std::string message;
};
Result<std::vector<KeyError>> parse_delete_result(std::string_view xml);

struct PendingUpload {
  std::string key;
  std::string upload_id;
  WallTime initiated;
};
struct UploadsPage {
  std::vector<PendingUpload> uploads;
  bool is_truncated = false;
  std::string next_key;
  std::string next_upload_id;
};
Result<UploadsPage> parse_uploads(std::string_view xml);

// Of AssumeRole and AssumeRoleWithWebIdentity.
Result<Credentials> parse_sts_credentials(std::string_view xml);

// The body of an error, as S3 and STS write it. All fields may be empty: proxies answer with HTML.
struct ErrorBody {
  std::string code;
  std::string message;
  std::string request_id;
  std::string region;       // where the bucket is
  std::string endpoint;     // where to go instead
  std::string server_time;  // of RequestTimeTooSkewed
};
std::optional<ErrorBody> parse_error_body(std::string_view xml);

}  // namespace landfall::s3
