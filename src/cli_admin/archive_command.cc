#include <memory>

#include "archive/summary.h"
#include "base/bytes.h"
#include "base/strings.h"
#include "cli/byte_line.h"
#include "cli/output.h"
#include "cli_admin/commands.h"
#include "io/file.h"
#include "json/json.h"
#include "terminal/table.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

struct Flags {
  std::string file;
  OutputFlags output;
};

// Shows how far a file has been read.
class CountingReader final : public io::Reader {
 public:
  CountingReader(io::Reader& source, ByteLine& line) : source_(source), line_(line) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    TRY_ASSIGN(const std::size_t got, "", source_.read(buffer));
    done_ += ByteCount(static_cast<std::int64_t>(got));
    line_.done(done_);
    return got;
  }

 private:
  io::Reader& source_;
  ByteLine& line_;
  ByteCount done_;
};

Result<archive::Summary> read_archive(const std::string& path, const Context& context) {
  TRY_ASSIGN(io::FileReader file, "", io::FileReader::open(path));
  ByteLine line(context);
  line.total(ByteCount(static_cast<std::int64_t>(file.size())));
  CountingReader counted(file, line);
  TRY_ASSIGN(archive::Summary summary, path, archive::summarize(counted, context.stop, [](std::string_view) {}));
  line.complete();
  return summary;
}

std::string table_text(const archive::Summary& summary) {
  terminal::Table table({"RESOURCE", "ITEMS", "SIZE", "NAMESPACES"});
  ByteCount bytes;
  for (const auto& [resource, part] : summary.resources) {
    table.add({k8s::to_string(resource), std::to_string(part.items), to_string(part.bytes),
               part.namespaces.empty() ? "<cluster>" : join(part.namespaces, ",")});
    bytes += part.bytes;
  }
  std::string text = table.text();
  text += std::to_string(summary.items) + " items, " + to_string(bytes) + ", format " +
          (summary.format_version.empty() ? "not stated" : terminal::printable(summary.format_version)) + "\n";
  if (summary.strange_count > 0) {
    text += std::to_string(summary.strange_count) + " entries are not part of the layout, for example " +
            terminal::printable(summary.strange.front()) + "\n";
  }
  return text;
}

json::Json document_of(const archive::Summary& summary) {
  json::Json resources = json::Json::array();
  for (const auto& [resource, part] : summary.resources) {
    resources.push_back({{"resource", k8s::to_string(resource)},
                         {"items", part.items},
                         {"bytes", part.bytes.count()},
                         {"namespaces", part.namespaces}});
  }
  return {{"formatVersion", summary.format_version},
          {"items", summary.items},
          {"resources", resources},
          {"strangeEntries", summary.strange_count}};
}

Status inspect(const Flags& flags, const Context& context) {
  const Format format = format_of(flags.output);
  TRY_ASSIGN(const archive::Summary summary, "", read_archive(flags.file, context));
  if (format == Format::kJson || format == Format::kYaml) {
    return context.out.write(document_text(document_of(summary), format));
  }
  return context.out.write(table_text(summary));
}

}  // namespace

void add_archive_command(const Command& root) {
  const auto flags = std::make_shared<Flags>();
  const Command archive = root.group("archive", "Work with backup archives in files");
  const Command command = archive.leaf("inspect", "Read a backup archive to its end and show what it holds");
  command.argument("FILE", flags->file, "The archive, as `velero backup download` saves it");
  add_output_flags(command, flags->output);
  command.action([flags](const Context& context, const GlobalFlags&) { return inspect(*flags, context); });
}

}  // namespace landfall::cli
