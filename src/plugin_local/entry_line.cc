#include <array>
#include <utility>

#include "base/encoding.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "plugin_local/entry.h"

namespace landfall::plugin_local {
namespace {

using json::Json;

constexpr std::array<std::pair<EntryType, std::string_view>, 7> kTypes = {{{EntryType::kFile, "file"},
                                                                           {EntryType::kDirectory, "directory"},
                                                                           {EntryType::kLink, "link"},
                                                                           {EntryType::kFifo, "fifo"},
                                                                           {EntryType::kCharacterDevice, "character"},
                                                                           {EntryType::kBlockDevice, "block"},
                                                                           {EntryType::kSocket, "socket"}}};

bool is_plain(char c) { return c > ' ' && c <= '~' && c != '%'; }

// Names of files are bytes, JSON holds text: what is not plain ASCII is written as %XX.
std::string as_text(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (is_plain(c)) {
      text += c;
    } else {
      text += "%" + hex_encode(std::string_view(&c, 1));
    }
  }
  return text;
}

Result<std::string> from_text(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return fail(Code::kInvalid, "a name that ends within %XX");
    TRY_ASSIGN(const std::string byte, "", hex_decode(text.substr(i + 1, 2)));
    bytes += byte;
    i += 2;
  }
  if (bytes.find('\0') != std::string::npos) return fail(Code::kInvalid, "a name with a NUL byte");
  return bytes;
}

Result<std::string> path_from(std::string_view text) {
  TRY_ASSIGN(std::string path, "", from_text(text));
  if (path == ".") return path;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return fail(Code::kInvalid, "a path that is not one below a top");
  }
  return path;
}

Result<EntryType> type_from(std::string_view text) {
  for (const auto& [type, name] : kTypes) {
    if (name == text) return type;
  }
  return fail(Code::kInvalid, "an unknown type");
}

std::string name_of(EntryType wanted) {
  for (const auto& [type, name] : kTypes) {
    if (type == wanted) return std::string(name);
  }
  return "file";
}

Status read_attributes(const Json& line, Entry& entry) {
  TRY_ASSIGN(const json::StringMap attributes, "", json::string_map_at(line, {"attributes"}));
  for (const auto& [name, value] : attributes) {
    TRY_ASSIGN(std::string key, "", from_text(name));
    TRY_ASSIGN(entry.attributes[key], "", hex_decode(value));
  }
  return {};
}

std::uint64_t number(const Json& line, std::string_view key) {
  return static_cast<std::uint64_t>(json::int_or(line, {key}, 0));
}

}  // namespace

std::string to_line(const Entry& entry) {
  Json line = {{"path", as_text(entry.path)},
               {"type", name_of(entry.type)},
               {"mode", entry.mode},
               {"uid", entry.uid},
               {"gid", entry.gid},
               {"modified", entry.modified}};
  if (entry.type == EntryType::kFile) line["size"] = entry.size;
  if (!entry.sha256.empty()) line["sha256"] = entry.sha256;
  if (!entry.target.empty()) line["target"] = as_text(entry.target);
  if (!entry.same_as.empty()) line["sameAs"] = as_text(entry.same_as);
  if (entry.device != 0) line["device"] = static_cast<std::int64_t>(entry.device);
  for (const auto& [name, value] : entry.attributes) line["attributes"][as_text(name)] = hex_encode(value);
  // Bits as they are: a number of a file system may need all 64.
  line["source"] = {{"inode", static_cast<std::int64_t>(entry.inode)},
                    {"fileSystem", static_cast<std::int64_t>(entry.file_system)},
                    {"changed", entry.changed}};
  return json::dump(line);
}

Result<Entry> parse_line(std::string_view text) {
  TRY_ASSIGN(const Json line, "", json::parse(text, {.max_bytes = std::size_t{16} << 20U}));
  Entry entry;
  TRY_ASSIGN(const std::string path, "", json::string_at(line, {"path"}));
  TRY_ASSIGN(entry.path, "path", path_from(path));
  TRY_ASSIGN(const std::string type, "", json::string_at(line, {"type"}));
  TRY_ASSIGN(entry.type, "", type_from(type));
  TRY_ASSIGN(entry.target, "target", from_text(json::string_or(line, {"target"}, "")));
  if (json::has(line, {"sameAs"})) {
    TRY_ASSIGN(entry.same_as, "sameAs", path_from(json::string_or(line, {"sameAs"}, "")));
  }
  TRY("attributes", read_attributes(line, entry));
  entry.sha256 = json::string_or(line, {"sha256"}, "");
  entry.size = number(line, "size");
  entry.mode = static_cast<std::uint32_t>(number(line, "mode")) & 07777U;
  entry.uid = static_cast<std::uint32_t>(number(line, "uid"));
  entry.gid = static_cast<std::uint32_t>(number(line, "gid"));
  entry.device = number(line, "device");
  entry.modified = json::int_or(line, {"modified"}, 0);
  entry.inode = static_cast<std::uint64_t>(json::int_or(line, {"source", "inode"}, 0));
  entry.file_system = static_cast<std::uint64_t>(json::int_or(line, {"source", "fileSystem"}, 0));
  entry.changed = json::int_or(line, {"source", "changed"}, 0);
  return entry;
}

}  // namespace landfall::plugin_local
