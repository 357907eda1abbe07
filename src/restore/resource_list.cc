#include "restore/resource_list.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "io/gzip_writer.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::restore {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;

// Its name in the cluster.
k8s::NamespacedName name_of(const ItemBook::Entry& entry, const archive::ArchiveIndex& index,
                            const selection::RestoreFilter& filter) {
  const archive::IndexedItem item = index.item(entry.number);
  const std::string_view from = item.namespace_name();
  return {from.empty() ? "" : filter.target_namespace(from),
          std::string(entry.created_name.empty() ? item.name() : entry.created_name)};
}

std::string text_of(const ItemBook::Entry& entry, const archive::ArchiveIndex& index,
                    const selection::RestoreFilter& filter) {
  const k8s::NamespacedName name = name_of(entry, index, filter);
  const std::string place = name.name_space.empty() ? "" : name.name_space + "/";
  return place + name.name + "(" + std::string(to_string(entry.listed)) + ")";
}

// The list says failed of an object that was there and is another, too.
volume_info::HandledObject::End end_of(Listed listed, bool exists) {
  using End = volume_info::HandledObject::End;
  if (listed == Listed::kCreated) return End::kCreated;
  if (exists) return End::kFound;
  return listed == Listed::kFailed ? End::kFailed : End::kLeftOut;
}

Status write_texts(std::vector<std::string> texts, io::Writer& out) {
  std::ranges::sort(texts);
  std::string piece = "[";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) piece += ',';
    piece += json::dump_go(json::Json(texts[i]));
    if (piece.size() < kPiece) continue;
    TRY("", out.write(piece));
    piece.clear();
  }
  return out.write(piece + "]");
}

}  // namespace

Result<io::SpoolFile> write_resource_list(const ItemBook& book, const archive::ArchiveIndex& index,
                                          const selection::RestoreFilter& filter, const NamespaceKeeper& namespaces,
                                          const std::string& directory) {
  std::map<std::string_view, std::vector<ItemBook::Entry>> kinds;
  const std::vector<std::string> created = namespaces.created();
  if (!created.empty()) kinds["v1/Namespace"];
  for (const ItemBook::Entry& entry : book.ended()) {
    if (entry.listed != Listed::kNot) kinds[entry.type].push_back(entry);
  }
  TRY_ASSIGN(io::SpoolFile file, "resource list", io::SpoolFile::create(directory));
  io::GzipWriter gzip(file, {.workers = 1});
  std::string separator = "{";
  for (const auto& [kind, entries] : kinds) {
    std::vector<std::string> texts;
    texts.reserve(entries.size());
    for (const ItemBook::Entry& entry : entries) texts.push_back(text_of(entry, index, filter));
    if (kind == "v1/Namespace") {
      for (const std::string& name : created) texts.push_back(name + "(created)");
    }
    TRY("resource list", gzip.write(separator + json::dump_go(json::Json(kind)) + ":"));
    TRY("resource list", write_texts(std::move(texts), gzip));
    separator = ",";
  }
  TRY("resource list", gzip.write(separator == "{" ? "{}\n" : "}\n"));
  TRY("resource list", gzip.close());
  TRY("resource list", file.close());
  return file;
}

std::vector<volume_info::HandledObject> handled_objects(std::string_view type, const ItemBook& book,
                                                        const archive::ArchiveIndex& index,
                                                        const selection::RestoreFilter& filter) {
  std::vector<volume_info::HandledObject> objects;
  for (const ItemBook::Entry& entry : book.ended()) {
    if (entry.listed == Listed::kNot || entry.type != type) continue;
    const archive::IndexedItem item = index.item(entry.number);
    objects.push_back({.original = {std::string(item.namespace_name()), std::string(item.name())},
                       .now = name_of(entry, index, filter),
                       .end = end_of(entry.listed, book.exists(entry.number))});
  }
  return objects;
}

}  // namespace landfall::restore
