#include "restic/cleared_way.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "uploader_program/special_files.h"

namespace landfall::restic {

using uploader_program::open_directory;
using uploader_program::remove_special;

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

}  // namespace

Result<ClearedWay> ClearedWay::create(const std::string& directory) {
  io::Descriptor root(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return tl::unexpected(io::errno_error("open " + directory, errno));
  return ClearedWay(std::move(root));
}

Result<bool> ClearedWay::enter(std::string_view path) {
  if (path == entered_) return path.empty() || current_;
  entered_ = path;
  current_.reset();
  if (path.empty()) return true;
  for (const std::string_view part : split(path, '/')) {
    const std::string name(part);
    const int parent = current_ ? current_.get() : root_.get();
    TRY_ASSIGN(io::Descriptor next, "", open_directory(parent, name));
    if (!next) TRY("", remove_special(parent, name));
    current_ = std::move(next);
    if (!current_) return false;
  }
  return true;
}

Status ClearedWay::clear(std::string_view path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  if (path.empty()) return {};
  for (const std::string_view name : split(path, '/')) {
    if (name.empty() || name == "." || name == "..") {
      return fail(Code::kInvalid, "a path in the snapshot leads out of it");
    }
  }
  has_unclear_names_ = has_unclear_names_ || contains(path, kReplacement);
  const std::size_t slash = path.rfind('/');
  const bool is_deep = slash != std::string_view::npos;
  TRY_ASSIGN(const bool is_there, std::string(path), enter(is_deep ? path.substr(0, slash) : ""));
  if (!is_there) return {};
  TRY(std::string(path),
      remove_special(current_ ? current_.get() : root_.get(), std::string(is_deep ? path.substr(slash + 1) : path)));
  return {};
}

Status ClearedWay::finish(const std::stop_token& stop) {
  if (!has_unclear_names_) return {};
  return uploader_program::for_each_special(
      root_,
      [](int directory, const std::string& path, const std::string& name) -> Status {
        return is_valid_utf8(path) && is_valid_utf8(name) ? Status() : remove_special(directory, name);
      },
      stop);
}

}  // namespace landfall::restic
