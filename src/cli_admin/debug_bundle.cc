#include "cli_admin/debug_bundle.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/digest.h"
#include "base/strings.h"
#include "io/spool_file.h"
#include "json/json.h"
#include "json/yaml.h"

namespace landfall::cli {
namespace {

constexpr const char* kFolder = "landfall-bundle/";
constexpr std::uint32_t kMode = 0600;
constexpr std::size_t kLongestName = 255;

Result<io::SpoolFile> temporary(const std::string& directory) {
  auto file = io::SpoolFile::create(directory);
  if (file) return file;
  return fail(file.error().code(), fmt::format("no temporary file can be made in {}: {}; set TMPDIR to a directory "
                                               "that exists and may be written to",
                                               directory, file.error().message()));
}

// The end stays: it says what kind of file it is.
std::string shortened(std::string_view name) {
  if (name.size() <= kLongestName) return std::string(name);
  constexpr std::size_t kDigits = 16;
  constexpr std::size_t kLongestEnd = 16;
  const std::size_t dot = name.rfind('.');
  const std::string_view end = name.size() - dot > kLongestEnd ? "" : name.substr(dot);
  const std::string digest = "-" + sha256_hex(name).substr(0, kDigits);
  return std::string(name.substr(0, kLongestName - digest.size() - end.size())) + digest + std::string(end);
}

std::string entry_name(const std::string& name) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(name, '/')) parts.push_back(shortened(part));
  return join(parts, "/");
}

}  // namespace

Result<std::unique_ptr<DebugBundle>> DebugBundle::create(const Options& options, Clock& clock) {
  // Better now than after half of it.
  TRY("", temporary(options.temporary_directory));
  std::error_code ignored;
  if (!options.replace && std::filesystem::exists(std::filesystem::symlink_status(options.path, ignored))) {
    return fail(Code::kAlreadyExists,
                options.path + " exists already: choose another --output, or --force to replace it");
  }
  TRY_ASSIGN(io::FileWriter file, "--output",
             io::FileWriter::create(options.path, {.mode = kMode, .replace = options.replace}));
  return std::make_unique<DebugBundle>(std::move(file), options.temporary_directory, clock);
}

// Not rounded up: tar warns of files from the future.
WallTime DebugBundle::now() const { return std::chrono::floor<std::chrono::seconds>(clock_.wall_now()); }

Status DebugBundle::put(const std::string& name, std::string_view content) {
  const std::string whole = kFolder + entry_name(name);
  return tar_.add({.name = whole, .mtime = now(), .mode = kMode}, content);
}

Status DebugBundle::add_object(const std::string& name, json::Json object) {
  redaction_.object(object);
  return put(name, json::to_yaml(object));
}

Status DebugBundle::add_text(const std::string& name, const std::string& what, std::string_view text) {
  contents_.push_back(entry_name(name) + "  " + what);
  return put_text(name, text);
}

Status DebugBundle::put_text(const std::string& name, std::string_view text) {
  io::StringWriter clean;
  RedactingWriter writer(redaction_, clean);
  TRY("", writer.write(text));
  TRY("", writer.close());
  return put(name, clean.str());
}

Status DebugBundle::add_stream(const std::string& name, const std::string& what, const Produce& produce) {
  // A tar says how long a file is before it begins.
  TRY_ASSIGN(io::SpoolFile spool, "", temporary(temporary_directory_));
  RedactingWriter clean(redaction_, spool);
  if (const Status produced = produce(clean); !produced) miss(what, produced.error());
  TRY(temporary_directory_, clean.close());
  TRY(temporary_directory_, spool.close());
  if (spool.size() == 0) return {};
  contents_.push_back(entry_name(name) + "  " + what);
  const std::string whole = kFolder + entry_name(name);
  io::SpoolReader reader = spool.reader(0, spool.size());
  return tar_.add({.name = whole, .mtime = now(), .mode = kMode}, spool.size(), reader);
}

void DebugBundle::miss(const std::string& what, const Error& why) {
  missing_.push_back(redaction_.text(what + ": " + why.message()));
}

Status DebugBundle::close(const std::string& introduction) {
  std::string text = introduction + "\n";
  for (const std::string& line : contents_) text += "  " + line + "\n";
  text += missing_.empty() ? "\nNothing is missing.\n" : "\nMissing:\n";
  for (const std::string& line : missing_) text += "  " + line + "\n";
  text +=
      "\nSecrets are not in here: no Secret was read; variables, arguments, annotations and settings whose "
      "meaning is not known, and what looks like a password, a key or a token, were "
      "replaced by " +
      std::string(kRemoved) + ". Look through it before you hand it on all the same.\n";
  TRY("", put_text("README.txt", text));
  TRY("", tar_.close());
  TRY("", gzip_.close());
  return file_.close();
}

}  // namespace landfall::cli
