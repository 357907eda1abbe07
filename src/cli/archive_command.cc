#include <chrono>
#include <memory>

#include "archive/summary.h"
#include "base/bytes.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/live_line.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/text_width.h"
#include "io/file.h"
#include "json/json.h"
#include "progress/byte_reporter.h"
#include "progress/format.h"

namespace landfall::cli {
namespace {

constexpr Duration kRedraw = std::chrono::milliseconds(200);
constexpr int kBarWidth = 30;
constexpr Duration kLastWord = std::chrono::seconds(1);

struct Flags {
  std::string file;
  OutputFlags output;
};

// Tells the reporter how far a file has been read.
class CountingReader final : public io::Reader {
 public:
  CountingReader(io::Reader& source, progress::ByteReporter& reporter) : source_(source), reporter_(reporter) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    TRY_ASSIGN(const std::size_t got, "", source_.read(buffer));
    done_ += ByteCount(static_cast<std::int64_t>(got));
    reporter_.done(done_);
    return got;
  }

 private:
  io::Reader& source_;
  progress::ByteReporter& reporter_;
  ByteCount done_;
};

// Reads the file with a line of progress below it.
Result<archive::Summary> read_archive(const std::string& path, const Context& context) {
  TRY_ASSIGN(io::FileReader file, "", io::FileReader::open(path));
  LiveLine line(context.err, context.err_terminal, context.clock);
  progress::ByteReporter reporter(context.clock, Logger());
  reporter.subscribe(
      "terminal",
      [&](const progress::ByteProgress& now, const std::stop_token&) {
        const std::string text = progress::format_line(now, context.clock.wall_now());
        if (!context.err_terminal.is_terminal || !now.bytes.total) {
          return line.show(text);
        }
        return line.show(progress::format_bar(now.bytes.done.count(), now.bytes.total->count(), kBarWidth) + " " +
                         text);
      },
      kRedraw);
  reporter.total(ByteCount(static_cast<std::int64_t>(file.size())));
  reporter.start();

  CountingReader counted(file, reporter);
  auto summary = archive::summarize(counted, context.stop, [](std::string_view) {});
  // Progress is advisory: what the command found out counts, whether or not the last line could be drawn.
  static_cast<void>(summary ? reporter.finish(std::nullopt, context.clock.after(kLastWord), context.stop)
                            : reporter.abandon(context.clock.after(kLastWord), context.stop));
  static_cast<void>(line.clear());
  if (!summary) {
    return fail(path, summary.error());
  }
  return summary;
}

std::string table_text(const archive::Summary& summary) {
  Table table({"RESOURCE", "ITEMS", "SIZE", "NAMESPACES"});
  ByteCount bytes;
  for (const auto& [resource, part] : summary.resources) {
    table.add({k8s::to_string(resource), std::to_string(part.items), to_string(part.bytes),
               part.namespaces.empty() ? "<cluster>" : join(part.namespaces, ",")});
    bytes += part.bytes;
  }
  std::string text = table.text();
  text += std::to_string(summary.items) + " items, " + to_string(bytes) + ", format " +
          (summary.format_version.empty() ? "not stated" : printable(summary.format_version)) + "\n";
  if (summary.strange_count > 0) {
    text += std::to_string(summary.strange_count) + " entries are not part of the layout, for example " +
            printable(summary.strange.front()) + "\n";
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
