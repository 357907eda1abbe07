#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "api/download_target.h"
#include "base/quote.h"
#include "cli/artifacts.h"
#include "cli/byte_line.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli_backup/backup_commands.h"
#include "io/file.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  std::string output;
  bool force = false;
  Duration timeout = std::chrono::minutes(1);
  ArtifactFlags artifacts;
};

Result<std::string> path_of(const Flags& flags) {
  if (!flags.output.empty()) return flags.output;
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error)
    return fail(Code::kUnavailable, "the current directory: " + error.message() + "; name a file with --output");
  return (here / (flags.name + "-data.tar.gz")).string();
}

// Before anything is fetched; the file is created in the end only if it is not there then.
Status check_free(const std::string& path, const Flags& flags) {
  std::error_code error;
  if (flags.force || !std::filesystem::exists(path, error)) return {};
  return fail(Code::kAlreadyExists, path + " exists: name another file with --output, or overwrite it with --force");
}

Status save(io::Reader& bytes, ByteCount size, const std::string& path, const Flags& flags, const Context& context) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  TRY_ASSIGN(io::FileWriter file, "", io::FileWriter::create(path, {.replace = flags.force}));
  ByteLine line(context);
  line.total(size);
  std::string piece(kPiece, '\0');
  std::int64_t done = 0;
  while (true) {
    TRY_ASSIGN(const std::size_t got, "", bytes.read(piece));
    if (got == 0) break;
    TRY("", file.write(std::string_view(piece).substr(0, got)));
    done += static_cast<std::int64_t>(got);
    line.done(ByteCount(done));
  }
  if (done == 0)
    return fail(Code::kDataLoss, "nothing came: the archive is empty, or something in between has eaten it");
  TRY("", file.close());
  line.complete();
  return {};
}

Status download(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const std::string path, "", path_of(flags));
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  TRY_ASSIGN(const Json backup, "",
             ObjectFinder(cluster->client(), kBackups, global.namespace_name, context).one(flags.name));
  TRY("", check_free(path, flags));
  const Artifacts artifacts(cluster->client(), global.namespace_name, flags.artifacts, context);
  TRY("backup " + flags.name,
      artifacts.read_raw(api::DownloadTarget::kBackupContents, flags.name, flags.timeout,
                         [&](io::Reader& bytes, ByteCount size) { return save(bytes, size, path, flags, context); }));
  return context.out.write("Backup " + flags.name + " has been successfully downloaded to " + path + "\n");
}

}  // namespace

Command add_backup_download(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Download the items of a backup as an archive (tar.gz)");
  command.argument("NAME", flags->name, "The backup");
  command.flag("-o,--output", flags->output, "The file to write (NAME-data.tar.gz in the current directory)");
  command.flag("--force", flags->force, "Overwrite the file if it is there");
  command.flag("--timeout", flags->timeout, "How long the server may take to say where the archive is (1m)");
  add_artifact_flags(command, flags->artifacts);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return download(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
