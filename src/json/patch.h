#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "json/parse.h"

// JSON Patch (RFC 6902) and JSON merge patch (RFC 7386), with the behaviour of the Go libraries that Kubernetes and
// Velero use. Strategic merge patches are in json/strategic_merge.h. All take values and return values: the input of a
// patch that fails is never touched.
namespace landfall::json {

// Where the two versions of Go's json-patch part. Both take negative indices ("-1" is the last element; for "add", one
// past it), let an "add" fail whose parent is missing, and let a "test" for null pass where there is no member.
enum class PatchDialect {
  // v4: "replace" and "copy" take a missing member for null, a missing "value" is null, and only "replace" and "test"
  // may name the whole document ("").
  kApiServer,
  // v5: a missing member or value is an error, and "add" may name the whole document.
  kVelero,
};

struct JsonPatchOptions {
  PatchDialect dialect = PatchDialect::kApiServer;
  // The API server's limits. "copy" can double a document with each operation, hence the second.
  std::size_t max_operations = 10'000;
  std::size_t max_copied_bytes = std::size_t{3} << 20;
  std::size_t max_depth = kMaxDepth;
};

// Applies the operations in order, all or none. Numbers are compared by value: a "test" for 1 accepts 1.0.
// Errors name the operation, "operation 2 (replace /spec/replicas): …". kConflict: a "test" failed; kNotFound: there is
// no such path; kTooLarge: a limit; kInvalid: the patch is malformed or does not fit the document.
Result<Json> apply_json_patch(const Json& document, const Json& patch, const JsonPatchOptions& options = {});

// Merges the patch into the document: null removes a member, an object is merged, anything else replaces. The patch
// must be an object (kInvalid). As in Go's json-patch, and unlike the RFC, members that are null are dropped from
// objects inside a new list as well.
Result<Json> apply_merge_patch(const Json& document, const Json& patch);

// The smallest merge patch that turns one object into another; {} when they are equal. A merge patch cannot say null:
// members of `to` that are null end up missing.
Json create_merge_patch(const Json& from, const Json& to);

// Where two documents differ, as paths ("spec.replicas"), at most `max` of them; empty when they are equal. Numbers are
// compared by value. A list that differs is named once, by its first element that does.
std::vector<std::string> differences(const Json& a, const Json& b, std::size_t max = 10);

}  // namespace landfall::json
