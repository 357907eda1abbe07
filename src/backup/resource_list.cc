#include "backup/resource_list.h"

#include <algorithm>
#include <map>

#include "io/gzip_writer.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::backup {
namespace {

using Name = std::pair<std::string_view, std::string_view>;  // namespace, name

struct Members {
  std::vector<std::pair<std::size_t, std::size_t>> collected;  // runs of the table: first, behind the last
  std::vector<Name> related;
};

// "apps/v1/Deployment", "v1/Pod"
std::string title(const kube::ApiResource& resource) {
  std::string text = resource.id.group.empty() ? "" : resource.id.group + "/";
  return text + resource.id.version + "/" + resource.kind;
}

std::map<std::string, Members> by_kind(const ItemTable& table, const std::vector<k8s::ObjectRef>& related,
                                       const kube::Discovery& discovery) {
  std::map<std::string, Members> kinds;
  for (const ItemTable::Run& run : table.runs()) {
    kinds[title(*run.resource)].collected.emplace_back(run.first, run.last);
  }
  for (const k8s::ObjectRef& ref : related) {
    if (const kube::ApiResource* resource = discovery.find(ref.resource)) {
      kinds[title(*resource)].related.emplace_back(ref.name_space, ref.name);
    }
  }
  return kinds;
}

std::string text_of(const Name& name) {
  std::string text(name.first);
  if (!text.empty()) text += '/';
  return text.append(name.second);
}

Status write_names(const Members& members, const ItemTable& table, io::Writer& out) {
  std::vector<Name> names = members.related;
  for (const auto& [first, last] : members.collected) {
    for (std::size_t index = first; index < last; ++index) {
      if (!table.is_claimed(index)) continue;
      const ItemName name = table.name(index);
      names.emplace_back(name.name_space, name.name);
    }
  }
  std::ranges::sort(names, {}, text_of);
  std::string text = "[";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ',';
    text += json::dump_go(json::Json(text_of(names[i])));
    if (text.size() > 64U << 10U) {
      TRY("", out.write(text));
      text.clear();
    }
  }
  return out.write(text + "]");
}

}  // namespace

Result<io::SpoolFile> write_resource_list(const ItemTable& table, const std::vector<k8s::ObjectRef>& related,
                                          const kube::Discovery& discovery, const std::string& directory) {
  TRY_ASSIGN(io::SpoolFile file, "resource list", io::SpoolFile::create(directory));
  io::GzipWriter gzip(file, {.workers = 1});
  std::string separator = "{";
  for (const auto& [kind, members] : by_kind(table, related, discovery)) {
    TRY("resource list", gzip.write(separator + json::dump_go(json::Json(kind)) + ":"));
    TRY("resource list", write_names(members, table, gzip));
    separator = ",";
  }
  TRY("resource list", gzip.write(separator == "{" ? "{}\n" : "}\n"));
  TRY("resource list", gzip.close());
  TRY("resource list", file.close());
  return file;
}

}  // namespace landfall::backup
