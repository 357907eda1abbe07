#include "sandbox/output.h"

#include <utility>

#include "json/json.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "sandbox_kinds/convert.h"
#include "sandbox_kinds/table.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Shape = OutputFormat::Shape;

std::string meta_version(const OutputFormat& format) { return "meta.k8s.io/" + format.meta_version; }

Json partial(const Json& object, const OutputFormat& format) {
  Json out = {{"kind", "PartialObjectMetadata"}, {"apiVersion", meta_version(format)}};
  const auto metadata = object.find("metadata");
  out["metadata"] = metadata == object.end() ? Json::object() : *metadata;
  return out;
}

Json row(const KindInfo& kind, const Json& object, const OutputFormat& format, WallTime now) {
  Json out = {{"cells", table_row_cells(kind, object, now)}};
  if (format.include_object == "Object") {
    out["object"] = object;
  } else if (format.include_object == "None") {
    out["object"] = nullptr;
  } else {
    out["object"] = partial(object, {.meta_version = format.meta_version});
  }
  return out;
}

Json table(const KindInfo& kind, const Json& object, const OutputFormat& format, bool with_columns, WallTime now) {
  Json out = {{"kind", "Table"}, {"apiVersion", meta_version(format)}, {"metadata", Json::object()}};
  const auto metadata = object.find("metadata");
  if (metadata != object.end() && metadata->contains("resourceVersion")) {
    out["metadata"]["resourceVersion"] = (*metadata)["resourceVersion"];
  }
  out["columnDefinitions"] = with_columns ? table_columns(kind) : Json();
  out["rows"] = Json::array({row(kind, object, format, now)});
  return out;
}

}  // namespace

std::string body_text(const Json& document, const OutputFormat& format) {
  if (format.is_yaml) return json::to_yaml(document);
  return format.is_pretty ? json::dump_pretty(document) : json::dump(document);
}

std::string content_type(const OutputFormat& format) {
  return format.is_yaml ? "application/yaml" : "application/json";
}

std::string object_body(const KindInfo& kind, const StoredObject& object, const OutputFormat& format, WallTime now) {
  if (format.shape == Shape::kObject && !format.is_yaml && !format.is_pretty) return object_text(kind, object);
  const Json document = decode(kind, object);
  switch (format.shape) {
    case Shape::kTable:
      return body_text(table(kind, document, format, true, now), format);
    case Shape::kPartialMetadata:
      return body_text(partial(document, format), format);
    case Shape::kObject:
      break;
  }
  return body_text(document, format);
}

std::string list_element(const KindInfo& kind, const StoredObject& object, const OutputFormat& format, WallTime now) {
  switch (format.shape) {
    case Shape::kTable:
      return json::dump(row(kind, decode(kind, object), format, now));
    case Shape::kPartialMetadata:
      return json::dump(partial(decode(kind, object), format));
    case Shape::kObject:
      break;
  }
  // Items of built-in kinds have no kind of their own in a list.
  if (kind.is_custom()) return object_text(kind, object);
  if (!needs_conversion(kind)) return object.bytes;
  Json document = decode(kind, object);
  document.erase("apiVersion");
  document.erase("kind");
  return json::dump(document);
}

ListFrame list_frame(const KindInfo& kind, const Json& list_metadata, const OutputFormat& format) {
  std::string list_kind = kind.list_kind;
  std::string version = to_string(kind.id.group_version());
  std::string member = "items";
  std::string extra;
  if (format.shape == Shape::kTable) {
    list_kind = "Table";
    version = meta_version(format);
    member = "rows";
    extra = "\"columnDefinitions\":" + json::dump(table_columns(kind)) + ",";
  } else if (format.shape == Shape::kPartialMetadata) {
    list_kind = "PartialObjectMetadataList";
    version = meta_version(format);
  }
  ListFrame frame;
  frame.before = "{\"kind\":\"" + list_kind + "\",\"apiVersion\":\"" + version +
                 "\",\"metadata\":" + json::dump(list_metadata) + "," + extra + "\"" + member + "\":[";
  frame.after = "]}\n";
  return frame;
}

std::string event_object(const KindInfo& kind, const StoredObject& object, const OutputFormat& format,
                         bool with_columns, WallTime now) {
  switch (format.shape) {
    case Shape::kTable:
      return json::dump(table(kind, decode(kind, object), format, with_columns, now));
    case Shape::kPartialMetadata:
      return json::dump(partial(decode(kind, object), format));
    case Shape::kObject:
      break;
  }
  return object_text(kind, object);
}

}  // namespace landfall::sandbox
