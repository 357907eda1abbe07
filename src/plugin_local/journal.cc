#include "plugin_local/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/digest.h"
#include "io/file.h"

namespace landfall::plugin_local {
namespace {

constexpr std::size_t kLongestLine = std::size_t{16} << 20U;
constexpr std::size_t kChunk = std::size_t{256} << 10U;

}  // namespace

Result<JournalWriter> JournalWriter::create(const std::string& path) {
  // NOLINTNEXTLINE(*-vararg): it is how it is
  io::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return tl::unexpected(io::errno_error("create " + path, errno));
  return JournalWriter(path, std::move(file));
}

Status JournalWriter::add(const Entry& entry) {
  TRY("write " + path_, io::write_descriptor(file_.get(), to_line(entry) + "\n"));
  return {};
}

Status JournalWriter::sync() {
  if (::fsync(file_.get()) != 0) return tl::unexpected(io::errno_error("sync " + path_, errno));
  return {};
}

Status read_journal(const std::string& path, Ending ending, const std::function<Status(Entry)>& visit) {
  TRY_ASSIGN(io::FileReader file, "", io::FileReader::open(path));
  std::string rest;
  std::vector<char> buffer(kChunk);
  std::size_t number = 0;
  while (true) {
    TRY_ASSIGN(const std::size_t size, "", file.read(buffer));
    if (size == 0) break;
    rest.append(buffer.data(), size);
    std::size_t start = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', start)) {
      ++number;
      auto entry = parse_line(std::string_view(rest).substr(start, end - start));
      start = end + 1;
      if (!entry && ending == Ending::kMayBeTorn) return {};
      if (!entry) {
        return fail(Code::kDataLoss,
                    path + ": line " + std::to_string(number) + " is damaged: " + entry.error().message());
      }
      TRY("", visit(*std::move(entry)));
    }
    rest.erase(0, start);
    if (rest.size() > kLongestLine) return fail(Code::kDataLoss, path + ": a line that is too long");
  }
  if (!rest.empty() && ending == Ending::kMustBeWhole) return fail(Code::kDataLoss, path + ": ends within a line");
  return {};
}

Result<std::string> digest_of(const std::string& path) {
  TRY_ASSIGN(io::FileReader file, "", io::FileReader::open(path));
  Sha256 digest;
  std::vector<char> buffer(kChunk);
  while (true) {
    TRY_ASSIGN(const std::size_t size, "", file.read(buffer));
    if (size == 0) return hex_encode(as_bytes(digest.finish()));
    digest.update({buffer.data(), size});
  }
}

}  // namespace landfall::plugin_local
