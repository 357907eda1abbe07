#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "sandbox_kinds/kind_info.h"
#include "sandbox_kinds/validation.h"

// The refusals of an API server, in its words. Each is an Error whose detail is an ApiFailure; what answers a request
// writes the `Status` document from it.
namespace landfall::sandbox {

struct ApiFailure final : ErrorDetail {
  int http_status = 500;
  std::string reason;  // "NotFound"; empty where a real server gives none
  bool has_details = false;
  std::string name;
  std::string group;
  std::string kind;  // the plural, or the kind for an Invalid
  std::string uid;
  Causes causes;
  int retry_after_seconds = 0;
  std::string continue_token;  // of a 410 on a list: where to go on without consistency
};

Error not_found(const k8s::GroupResource& resource, std::string_view name);
Error already_exists(const k8s::GroupResource& resource, std::string_view name, bool is_deleting = false);
// "Operation cannot be fulfilled on pods "web": …"
Error conflict(const k8s::GroupResource& resource, std::string_view name, std::string_view why);
// The object changed since the client read it.
Error modified_meanwhile(const k8s::GroupResource& resource, std::string_view name);
Error forbidden_by(const k8s::GroupResource& resource, std::string_view name, std::string_view why, Causes causes = {});
Error invalid(const KindInfo& kind, std::string_view name, const Causes& causes);
// For options: CreateOptions.meta.k8s.io "" is invalid: …
Error invalid(const k8s::GroupKind& kind, std::string_view name, const Causes& causes);
Error bad_request(std::string message);
Error unauthorized();
// "the server could not find the requested resource"
Error no_such_resource();
Error method_not_allowed();
Error unsupported_media_type(std::string message);
Error patch_type_not_supported();
Error not_acceptable(std::string_view available);
// The same in words of its own.
Error not_acceptable_shape(std::string message);
Error entity_too_large(std::string message);
Error expired(std::string message, std::string continue_token = {});
Error too_large_revision(std::uint64_t asked, std::uint64_t current);
Error too_many_requests(std::string message, int retry_after_seconds);
Error apply_conflict(Causes causes, std::string message);
Error unprocessable();
// A real server's answer to what it did not expect: a message under 500, without a reason.
Error server_error(std::string message);

// The HTTP status for any error of this module; errors without an ApiFailure are 500.
int http_status_of(const Error& error);
// The Status document.
json::Json status_document(const Error& error);
// {"kind":"Status", … "status":"Success","details":{…}}: the answer to a deletion.
json::Json success_document(const k8s::GroupResource& resource, std::string_view name, std::string_view uid);

}  // namespace landfall::sandbox
