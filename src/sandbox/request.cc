#include "sandbox/request.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/quote.h"
#include "base/strings.h"
#include "k8s/names.h"
#include "sandbox/api_error.h"
#include "sandbox/media_type.h"
#include "sandbox/request_options.h"
#include "sandbox/selection.h"

namespace landfall::sandbox {
namespace {

// The path of a request below the version.
struct Place {
  std::string group;
  std::string version;
  std::string name_space;
  std::string resource;
  std::string name;
  std::string subresource;
  bool in_namespace = false;
  bool is_watch = false;  // the old form /watch/…
  bool has_more = false;  // segments behind the subresource (proxies)
};

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> out;
  for (const std::string_view part : split(path, '/')) {
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

bool is_namespace_subresource(std::string_view name) { return name == "status" || name == "finalize"; }

Result<Place> read_place(std::string_view path) {
  const std::vector<std::string> parts = segments_of(path);
  std::span<const std::string> rest(parts);
  Place place;
  if (rest.size() >= 3 && rest[0] == "api") {
    rest = rest.subspan(1);
  } else if (rest.size() >= 4 && rest[0] == "apis") {
    place.group = rest[1];
    rest = rest.subspan(2);
  } else {
    return fail("", no_such_resource());
  }
  place.version = rest[0];
  rest = rest.subspan(1);
  if (rest[0] == "watch" && rest.size() > 1) {
    place.is_watch = true;
    rest = rest.subspan(1);
  }
  // Without a third part it is the Namespace kind itself, and so it is with one that is a subresource of it.
  const bool is_kind_itself =
      rest.size() < 3 || (place.group.empty() && rest.size() == 3 && is_namespace_subresource(rest[2]));
  if (rest[0] == "namespaces" && !is_kind_itself) {
    place.in_namespace = true;
    place.name_space = rest[1];
    rest = rest.subspan(2);
  }
  place.resource = rest[0];
  if (rest.size() > 1) place.name = rest[1];
  if (rest.size() > 2) place.subresource = rest[2];
  place.has_more = rest.size() > 3;
  return place;
}

Result<Verb> verb_of(const Place& place, const http::Request& request, bool wants_watch) {
  const std::string& method = request.method;
  const bool one = !place.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (place.is_watch) return Verb::kWatch;
    if (one) return Verb::kGet;
    return wants_watch ? Verb::kWatch : Verb::kList;
  }
  if (place.is_watch) return fail("", method_not_allowed());
  if (method == "POST" && (!one || !place.subresource.empty())) return Verb::kCreate;
  if (method == "PUT" && one) return Verb::kUpdate;
  if (method == "PATCH" && one) return Verb::kPatch;
  if (method == "DELETE") return one ? Verb::kDelete : Verb::kDeleteCollection;
  return fail("", method_not_allowed());
}

std::string_view name_of(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
  }
  return "";
}

// Whether the path fits the scope of the kind, and the verb is one that it has there.
Status check_scope(const KindInfo& kind, const Place& place, Verb verb) {
  if (place.in_namespace && !kind.is_namespaced) return fail("", no_such_resource());
  if (!kind.is_namespaced || place.in_namespace) return {};
  if (!place.name.empty()) return fail("", no_such_resource());
  // Kinds that are only asked about (LocalSubjectAccessReview) and stored ones alike need their namespace for writing.
  if (verb != Verb::kList && verb != Verb::kWatch) return fail("", method_not_allowed());
  return {};
}

Status check_verb(const KindInfo& kind, const Place& place, Verb verb) {
  if (place.subresource.empty()) {
    return has_verb(kind, name_of(verb)) ? Status() : fail("", method_not_allowed());
  }
  if (!has_subresource(kind, place.subresource)) {
    if (kind.is_custom()) return fail("", not_found(kind.id.group_resource(), place.name));
    return fail("", no_such_resource());
  }
  const SubresourceInfo info = subresource_info(kind, place.subresource);
  if (std::ranges::find(info.verbs, name_of(verb)) == info.verbs.end()) return fail("", method_not_allowed());
  if (place.has_more && place.subresource != "proxy") return fail("", no_such_resource());
  return {};
}

// Whether what is asked for can be shown in that shape.
Status check_shape(const KindInfo& kind, const ApiRequest& request) {
  const OutputFormat& output = request.output;
  if (output.shape == OutputFormat::Shape::kTable) {
    const std::string& with = output.include_object;
    if (with.empty() || with == "None" || with == "Metadata" || with == "Object") return {};
    return fail("", bad_request("Unable to convert to Table as requested: includeObject: Invalid value: " +
                                quote(with) + ": must be 'Metadata', 'Object', 'None', or empty"));
  }
  if (output.shape != OutputFormat::Shape::kPartialMetadata) return {};
  if (request.verb == Verb::kWatch) return {};
  const bool is_list = request.verb == Verb::kList || request.verb == Verb::kDeleteCollection;
  if (is_list == output.is_list_shape) return {};
  const std::string group = kind.id.group.empty() ? "core" : kind.id.group.substr(0, kind.id.group.find('.'));
  return fail("", not_acceptable_shape(is_list ? "you requested PartialObjectMetadata, but the requested object is a "
                                                 "list (*" +
                                                     group + "." + kind.list_kind + ")"
                                               : "you requested PartialObjectMetadataList, but the requested object "
                                                 "is not a list (*" +
                                                     group + "." + kind.kind + ")"));
}

}  // namespace

Result<ApiRequest> read_request(const KindSet& kinds, const http::Request& request) {
  TRY_ASSIGN(Place place, "", read_place(request.path));
  ApiRequest out;
  out.kind = kinds.find(place.group, place.version, place.resource);
  if (!out.kind) return fail("", no_such_resource());
  const KindInfo& kind = *out.kind;
  const bool wants_watch = is_true(request.query, "watch");
  TRY_ASSIGN(out.verb, "", verb_of(place, request, wants_watch));
  TRY("", check_scope(kind, place, out.verb));
  TRY("", check_verb(kind, place, out.verb));
  if (place.name.find('%') != std::string::npos) {
    return fail("", bad_request("Name parameter invalid: " + quote(place.name) + ": may not contain '%'"));
  }
  out.name_space = std::move(place.name_space);
  out.name = std::move(place.name);
  out.subresource = std::move(place.subresource);
  const bool allow_table = out.subresource != "log";
  TRY_ASSIGN(out.output, "", negotiate_output(request, allow_table));
  TRY("", check_shape(kind, out));
  TRY("", read_options(request, out));
  // The old way to watch one object.
  if (place.is_watch && !out.name.empty()) {
    out.list.fields = k8s::FieldSelector({{.field = "metadata.name", .value = out.name}});
  }
  return out;
}

std::string manager_of_agent(std::string_view user_agent) {
  std::string_view prefix = user_agent.substr(0, user_agent.find('/'));
  std::string out;
  for (const char c : prefix) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || out.size() >= 128) break;
    out += c;
  }
  return out.empty() ? "unknown" : out;
}

}  // namespace landfall::sandbox
