#include "sandbox/stored_object.h"

#include <utility>

#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "sandbox_kinds/convert.h"

namespace landfall::sandbox {
namespace {

using json::Json;

void write_member(std::string& out, const std::string& key, std::string_view value) {
  if (out.back() != '{') out += ',';
  out += json::dump(Json(key));
  out += ':';
  out += value;
}

void write_metadata(const Json& metadata, StoredObject& object) {
  std::string& out = object.bytes;
  bool revision_written = false;
  const auto write_revision = [&] {
    write_member(out, "resourceVersion", "\"\"");
    object.revision_at = static_cast<std::uint32_t>(out.size() - 1);
    revision_written = true;
  };
  out += '{';
  for (const auto& [key, value] : metadata.items()) {
    if (key == "resourceVersion") continue;
    if (!revision_written && key > "resourceVersion") write_revision();
    const std::string text = json::dump(value);
    write_member(out, key, text);
    if (key == "labels" && value.is_object()) {
      object.labels_at = static_cast<std::uint32_t>(out.size() - text.size());
      object.labels_size = static_cast<std::uint32_t>(text.size());
    }
  }
  if (!revision_written) write_revision();
  out += '}';
}

}  // namespace

std::string object_key(std::string_view name_space, std::string_view name) {
  std::string key;
  key.reserve(name_space.size() + name.size() + 1);
  key += name_space;
  if (!name_space.empty()) key += '/';
  key += name;
  return key;
}

StoredObject encode(const Json& object) {
  const k8s::ObjectView view(object);
  StoredObject out;
  out.key = object_key(view.name_space(), view.name());
  out.namespace_size = static_cast<std::uint32_t>(view.name_space().size());
  out.uid = view.uid();
  out.is_deleting = view.is_being_deleted();
  out.bytes = "{";
  for (const auto& [key, value] : object.items()) {
    if (key == "apiVersion" || key == "kind") continue;
    if (key == "metadata" && value.is_object()) {
      write_member(out.bytes, key, "");
      write_metadata(value, out);
    } else {
      write_member(out.bytes, key, json::dump(value));
    }
  }
  out.bytes += '}';
  out.bytes.shrink_to_fit();
  return out;
}

ObjectPtr with_revision(StoredObject object, std::uint64_t revision) {
  const std::string digits = std::to_string(revision);
  const std::size_t had = object.revision == 0 ? 0 : std::to_string(object.revision).size();
  std::string bytes;
  bytes.reserve(object.bytes.size() + digits.size() - had);
  bytes.append(object.bytes, 0, object.revision_at).append(digits).append(object.bytes, object.revision_at + had);
  object.bytes = std::move(bytes);
  // Labels come before resourceVersion: their place does not change.
  object.revision = revision;
  return std::make_shared<const StoredObject>(std::move(object));
}

std::string type_prefix(const KindInfo& kind) {
  return "{\"apiVersion\":\"" + to_string(kind.id.group_version()) + "\",\"kind\":\"" + kind.kind + "\",";
}

std::string object_text(const KindInfo& kind, const StoredObject& object) {
  if (needs_conversion(kind)) return json::dump(decode(kind, object));
  std::string text = type_prefix(kind);
  text.append(object.bytes, 1);
  return text;
}

Json decode(const KindInfo& kind, const StoredObject& object) {
  // The store's own text: it parses.
  Json document = json::parse(object.bytes).value_or(Json::object());
  document["apiVersion"] = to_string(kind.id.group_version());
  document["kind"] = kind.kind;
  convert_from_storage(kind, document);
  return document;
}

}  // namespace landfall::sandbox
