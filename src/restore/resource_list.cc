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

std::string text_of(const ItemBook::Entry& entry, const archive::ArchiveIndex& index,
                    const selection::RestoreFilter& filter) {
  const archive::IndexedItem item = index.item(entry.number);
  std::string text;
  if (!item.namespace_name().empty()) text = filter.target_namespace(item.namespace_name()) + "/";
  text += entry.created_name.empty() ? item.name() : entry.created_name;
  return text + "(" + std::string(to_string(entry.listed)) + ")";
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

}  // namespace landfall::restore
