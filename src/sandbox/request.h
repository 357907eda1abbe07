#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/request.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "sandbox/registry.h"

// What a request asks of the API, read from method, path, query and headers. Pure; the body is not looked at.
namespace landfall::sandbox {

enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection };

// How the answer is to be written.
struct OutputFormat {
  enum class Shape { kObject, kTable, kPartialMetadata };
  Shape shape = Shape::kObject;
  bool is_yaml = false;
  bool is_pretty = false;
  std::string include_object;  // of tables: "", "None", "Metadata", "Object"
  std::string meta_version = "v1";
  bool is_list_shape = false;  // of kPartialMetadata: that of a list
};

// Of a list, a watch or a deletion of many.
struct ListOptions {
  k8s::LabelSelector labels;
  k8s::FieldSelector fields;
  std::int64_t limit = 0;
  std::string continue_token;
  std::string resource_version;  // digits or empty
  std::string resource_version_match;
  std::optional<std::int64_t> timeout_seconds;
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events;
};

enum class FieldValidation { kIgnore, kWarn, kStrict };

struct ApiRequest {
  Verb verb = Verb::kGet;
  KindPtr kind;
  std::string name_space;
  std::string name;  // of one object; for lists the name that the field selector demands
  std::string subresource;
  OutputFormat output;
  ListOptions list;
  bool dry_run = false;
  std::string field_manager;  // as given, or made from the User-Agent
  bool has_field_manager = false;
  FieldValidation field_validation = FieldValidation::kWarn;
  bool force = false;
  bool has_force = false;
};

// The error is an ApiFailure, as a real server refuses it.
Result<ApiRequest> read_request(const KindSet& kinds, const http::Request& request);

// What the Accept header allows of json, yaml and the given shapes; a 406 when that is nothing.
Result<OutputFormat> negotiate_output(const http::Request& request, bool allow_table);

enum class BodyFormat { kJson, kYaml, kProtobuf };
// From the Content-Type; no type is JSON. A 415 for all others.
Result<BodyFormat> body_format(const http::Request& request);

// The manager that a User-Agent stands for: all before the first slash.
std::string manager_of_agent(std::string_view user_agent);

}  // namespace landfall::sandbox
