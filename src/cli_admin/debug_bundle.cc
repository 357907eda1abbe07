#include "cli_admin/debug_bundle.h"

#include <chrono>

#include "io/spool_file.h"
#include "json/json.h"
#include "json/yaml.h"

namespace landfall::cli {
namespace {

constexpr const char* kFolder = "landfall-bundle/";
constexpr std::uint32_t kMode = 0600;

}  // namespace

Result<std::unique_ptr<DebugBundle>> DebugBundle::create(const std::string& path, const std::string& spool_directory,
                                                         Clock& clock) {
  TRY_ASSIGN(io::FileWriter file, "--output", io::FileWriter::create(path, {.mode = kMode}));
  return std::make_unique<DebugBundle>(std::move(file), spool_directory, clock);
}

// Not rounded up: tar warns of files from the future.
WallTime DebugBundle::now() const { return std::chrono::floor<std::chrono::seconds>(clock_.wall_now()); }

Status DebugBundle::put(const std::string& name, std::string_view content) {
  const std::string whole = kFolder + name;
  return tar_.add({.name = whole, .mtime = now(), .mode = kMode}, content);
}

Status DebugBundle::add_object(const std::string& name, json::Json object) {
  redaction_.object(object);
  return put(name, json::to_yaml(object));
}

Status DebugBundle::add_text(const std::string& name, const std::string& what, std::string_view text) {
  contents_.push_back(name + "  " + what);
  return put(name, redaction_.text(text));
}

Status DebugBundle::add_stream(const std::string& name, const std::string& what, const Produce& produce) {
  // A tar says how long a file is before it begins.
  TRY_ASSIGN(io::SpoolFile spool, "spool", io::SpoolFile::create(spool_directory_));
  RedactingWriter clean(redaction_, spool);
  if (const Status produced = produce(clean); !produced) miss(what, produced.error());
  TRY("spool", clean.close());
  TRY("spool", spool.close());
  if (spool.size() == 0) return {};
  contents_.push_back(name + "  " + what);
  const std::string whole = kFolder + name;
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
      "\nSecrets are not in here: no Secret was read, and values that look like passwords, keys or tokens were "
      "replaced by "
      "" +
      std::string(Redaction::kRemoved) + ". Look through it before you hand it on all the same.\n";
  TRY("", put("README.txt", text));
  TRY("", tar_.close());
  TRY("", gzip_.close());
  return file_.close();
}

}  // namespace landfall::cli
