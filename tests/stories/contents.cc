#include "stories/contents.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "stories/patience.h"

namespace landfall::stories {
namespace {

using json::Json;

// The parts of names that controllers have made up: hashes of templates, and what the server adds to generateName.
std::set<std::string> made_up_parts(const std::vector<Item>& items) {
  std::set<std::string> parts;
  for (const Item& item : items) {
    const std::string hash = json::string_or(item.object, {"metadata", "labels", "pod-template-hash"}, "");
    if (!hash.empty()) parts.insert(hash);
    const std::string generate = json::string_or(item.object, {"metadata", "generateName"}, "");
    if (!generate.empty() && item.ref.name.starts_with(generate)) parts.insert(item.ref.name.substr(generate.size()));
    const std::string owner = json::string_or(item.object, {"metadata", "ownerReferences", "0", "name"}, "") + "-";
    if (item.ref.resource.resource == "controllerrevisions" && item.ref.name.starts_with(owner)) {
      parts.insert(item.ref.name.substr(owner.size()));
    }
    if (item.ref.resource.resource == "events") parts.insert(item.ref.name.substr(item.ref.name.rfind('.') + 1));
  }
  return parts;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// How many bytes at the front of a text have the shape: `x` is a hex digit, `9` a digit, all others stand for
// themselves.
std::size_t fits(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool fits = shape[i] == 'x' ? is_hex(text[i]) : shape[i] == '9' ? is_digit(text[i]) : text[i] == shape[i];
    if (!fits) return 0;
  }
  return shape.size();
}

// "2026-11-15T07:29:43Z", with or without a fraction.
std::size_t time_length(std::string_view text) {
  std::size_t length = fits(text, "9999-99-99T99:99:99");
  if (length == 0) return 0;
  if (length < text.size() && text[length] == '.') {
    do ++length;
    while (length < text.size() && is_digit(text[length]));
  }
  return length < text.size() && text[length] == 'Z' ? length + 1 : 0;
}

std::string with_stars(std::string text, const std::set<std::string>& parts) {
  for (const std::string& part : parts) {
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      text.replace(at, part.size(), "*");
    }
  }
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const std::size_t length = std::max(fits(rest, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"), time_length(rest));
    out += length > 0 ? '*' : text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

void put_stars(Json& value, const std::set<std::string>& parts) {
  if (value.is_string()) value = with_stars(value.get<std::string>(), parts);
  if (!value.is_structured()) return;
  for (Json& element : value) put_stars(element, parts);
}

// What another cluster, or the same one a second later, has otherwise: identity, time, and what is observed.
void remove_what_differs_by_nature(const std::string& resource, Json& object) {
  object.erase("status");
  Json& metadata = object["metadata"];
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) metadata.erase(field);
  // Of those that were made with `kubectl apply`; others inherit it.
  if (Json* annotations = json::find(object, {"metadata", "annotations"})) {
    annotations->erase("kubectl.kubernetes.io/last-applied-configuration");
    if (annotations->empty()) metadata.erase("annotations");
  }
  if (Json* claim = json::find(object, {"spec", "claimRef"})) claim->erase("resourceVersion");
  if (resource == "services") {
    if (json::string_or(object, {"spec", "clusterIP"}, "") != "None") object["spec"]["clusterIP"] = "*";
    for (Json& address : object["spec"]["clusterIPs"]) address = address == "None" ? "None" : "*";
    for (Json& port : object["spec"]["ports"]) {
      if (port.contains("nodePort") && port["nodePort"] != 31234) port["nodePort"] = "*";  // that one is in the file
    }
  }
  if (resource == "configmaps" && json::has(object, {"data", "ca.crt"})) object["data"]["ca.crt"] = "*";
}

std::string shortened(const Json& value) {
  const std::string text = json::dump(value);
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

void compare(const Json& theirs, const Json& ours, const std::string& path, std::vector<std::string>& lines) {
  if (theirs == ours) return;
  if (theirs.is_object() && ours.is_object()) {
    std::set<std::string> keys;
    for (const Json* side : {&theirs, &ours}) {
      for (const auto& [key, value] : side->items()) keys.insert(key);
    }
    for (const std::string& key : keys) {
      std::string below = path;
      below.append(path.ends_with(' ') ? "" : ".").append(key);
      if (!ours.contains(key)) {
        lines.push_back(below + ": missing");
      } else if (!theirs.contains(key)) {
        lines.push_back(below + ": additional");
      } else {
        compare(theirs[key], ours[key], below, lines);
      }
    }
  } else if (theirs.is_array() && ours.is_array()) {
    for (std::size_t i = 0; i < std::max(theirs.size(), ours.size()); ++i) {
      const std::string below = path + "[" + std::to_string(i) + "]";
      if (i >= ours.size()) {
        lines.push_back(below + ": missing");
      } else if (i >= theirs.size()) {
        lines.push_back(below + ": additional");
      } else {
        compare(theirs[i], ours[i], below, lines);
      }
    }
  } else {
    lines.push_back(path + ": " + shortened(theirs) + " became " + shortened(ours));
  }
}

// With * for any text. The pieces between the stars come one after the other.
bool matches(std::string_view pattern, std::string_view text) {
  const std::vector<std::string_view> pieces = split(pattern, '*');
  if (pieces.size() == 1) return pattern == text;
  if (!text.starts_with(pieces.front())) return false;
  text.remove_prefix(pieces.front().size());
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    const std::size_t at = text.find(pieces[i]);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + pieces[i].size());
  }
  return text.ends_with(pieces.back());
}

using ByName = std::map<std::string, std::vector<Json>>;

// Of several with one name, in the order of their texts.
ByName by_name(const std::vector<Item>& items) {
  ByName sorted;
  for (const Item& item : items) sorted[to_string(item.ref)].push_back(item.object);
  for (auto& [name, objects] : sorted) {
    std::ranges::sort(objects, {}, [](const Json& object) { return json::dump(object); });
  }
  return sorted;
}

}  // namespace

std::vector<Item> contents_of(const archive::SpooledArchive& archive) {
  std::vector<Item> items;
  for (const archive::IndexedItem& item : archive.index().items()) {
    items.push_back({.ref = {.resource = item.resource(),
                             .name_space = std::string(item.namespace_name()),
                             .name = std::string(item.name())},
                     .object = must(json::parse(must(archive.content(item))))});
  }
  const std::set<std::string> parts = made_up_parts(items);
  for (Item& item : items) {
    item.ref.name = with_stars(item.ref.name, parts);
    put_stars(item.object, parts);
    remove_what_differs_by_nature(item.ref.resource.resource, item.object);
  }
  return items;
}

std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back(to_string(item.ref));
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> differences(const std::vector<Item>& theirs, const std::vector<Item>& ours) {
  const ByName left = by_name(theirs);
  ByName right = by_name(ours);
  std::vector<std::string> lines;
  for (const auto& [name, objects] : left) {
    std::vector<Json>& same = right[name];
    const std::size_t common = std::min(objects.size(), same.size());
    for (std::size_t i = 0; i < common; ++i) compare(objects[i], same[i], name + ": ", lines);
    for (std::size_t i = common; i < objects.size(); ++i) lines.push_back(name + ": missing");
    for (std::size_t i = common; i < same.size(); ++i) lines.push_back(name + ": additional");
    right.erase(name);
  }
  for (const auto& [name, objects] : right) lines.insert(lines.end(), objects.size(), name + ": additional");
  return lines;
}

std::vector<std::string> unexplained(const std::vector<std::string>& differences,
                                     const std::vector<KnownDifference>& known) {
  std::vector<std::string> wrong;
  std::set<std::string> needed;
  for (const std::string& line : differences) {
    bool is_known = false;
    for (const KnownDifference& one : known) {
      if (!matches(one.pattern, line)) continue;
      is_known = true;
      needed.insert(one.pattern);
    }
    if (!is_known) wrong.push_back("not in the list: " + line);
  }
  for (const KnownDifference& one : known) {
    if (!needed.contains(one.pattern)) wrong.push_back("in the list, but there is no such difference: " + one.pattern);
  }
  return wrong;
}

}  // namespace landfall::stories
