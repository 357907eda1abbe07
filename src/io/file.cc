#include "io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

namespace landfall::io {
namespace {

constexpr std::string_view kTemporaryPrefix = ".landfall-tmp-";

tl::unexpected<Error> errno_failure(const std::string& what) { return tl::unexpected(errno_error(what, errno)); }

int open_retrying(int directory, const std::string& path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::openat(directory, path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// fsync may be interrupted on network file systems.
int sync_retrying(int fd) {
  int result = 0;
  do {
    result = ::fsync(fd);
  } while (result != 0 && errno == EINTR);
  return result;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Unique in this process; across processes O_EXCL decides and the next number is taken.
std::string next_temporary_name() {
  static std::atomic<std::uint64_t> counter{0};
  return std::string(kTemporaryPrefix) + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

}  // namespace

FileReader::FileReader(std::string path, Descriptor file, std::uint64_t size)
    : path_(std::move(path)), file_(std::move(file)), size_(size) {}

Result<FileReader> FileReader::open(const std::string& path) {
  Descriptor file(open_retrying(AT_FDCWD, path, O_RDONLY));
  if (!file) {
    return errno_failure("open " + path);
  }
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) {
    return errno_failure("open " + path);
  }
  if (S_ISDIR(info.st_mode)) {
    return tl::unexpected(errno_error("open " + path, EISDIR));
  }
  return FileReader(path, std::move(file), static_cast<std::uint64_t>(info.st_size));
}

Result<std::size_t> FileReader::read(std::span<char> buffer) {
  TRY_ASSIGN(const std::size_t got, path_, read_descriptor(file_.get(), buffer));
  return got;
}

FileWriter::FileWriter(std::string path, FileOptions options, Descriptor directory)
    : path_(std::move(path)), options_(options), directory_(std::move(directory)) {}

FileWriter::~FileWriter() { abandon(); }

namespace {

// A link stays one: what it leads to is written. What is no file (a device, a pipe) is not to be replaced by one.
Result<std::string> place_to_write(std::string path) {
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(path, error);
    if (error || !std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return path;
    if (!std::filesystem::is_symlink(status)) {
      return fail(Code::kInvalid, "create " + path + ": there is something that is no file: name another one");
    }
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return fail(Code::kInvalid, "create " + path + ": " + error.message());
    path = target.is_absolute() ? target.string() : (std::filesystem::path(path).parent_path() / target).string();
  }
  return fail(Code::kInvalid, "create " + path + ": too many links");
}

}  // namespace

Result<FileWriter> FileWriter::create(std::string path, FileOptions options) {
  if (options.replace) {
    TRY_ASSIGN(path, "", place_to_write(std::move(path)));
  }
  const std::string name = name_of(path);
  if (name.empty() || name == "." || name == "..") {
    return fail(Code::kInvalid, "create \"" + path + "\": not a file name");
  }
  Descriptor directory(open_retrying(AT_FDCWD, directory_of(path), O_RDONLY | O_DIRECTORY));
  if (!directory) {
    return errno_failure("create " + path);
  }
  FileWriter writer(std::move(path), options, std::move(directory));
  TRY("create " + writer.path_, writer.open_temporary());
  return writer;
}

Status FileWriter::open_temporary() {
  while (true) {
    temporary_ = next_temporary_name();
    file_ = Descriptor(
        open_retrying(directory_.get(), temporary_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, options_.mode));
    if (file_) {
      return {};
    }
    if (errno != EEXIST) {
      return errno_failure("temporary file");
    }
  }
}

Status FileWriter::write(std::string_view bytes) {
  if (!file_) {
    return fail(Code::kInternal, path_ + ": write after close or after a failed write");
  }
  if (Status written = write_descriptor(file_.get(), bytes); !written) {
    abandon();
    return fail(path_, std::move(written).error());
  }
  return {};
}

Status FileWriter::close() {
  if (!file_) {
    return fail(Code::kInternal, path_ + ": close after close or after a failed write");
  }
  if (Status published = publish(); !published) {
    abandon();
    return fail(path_, std::move(published).error());
  }
  if (sync_retrying(directory_.get()) != 0) {
    return errno_failure(path_ + ": written, but may not survive a power cut: sync the directory");
  }
  return {};
}

Status FileWriter::publish() {
  if (sync_retrying(file_.get()) != 0) {
    return errno_failure("sync");
  }
  const std::string name = name_of(path_);
  const int directory = directory_.get();
  if (options_.replace) {
    if (::renameat(directory, temporary_.c_str(), directory, name.c_str()) != 0) {
      return errno_failure("rename");
    }
  } else {
    // link() refuses a taken name on every file system; renameat2 with RENAME_NOREPLACE does not work on NFS.
    if (::linkat(directory, temporary_.c_str(), directory, name.c_str(), 0) != 0) {
      return errno_failure("create");
    }
    ::unlinkat(directory, temporary_.c_str(), 0);
  }
  file_.reset();  // fsync has told all errors; what close could add is too late
  return {};
}

void FileWriter::abandon() {
  if (file_) {
    ::unlinkat(directory_.get(), temporary_.c_str(), 0);
    file_.reset();
  }
}

bool is_temporary_name(std::string_view name) { return name.starts_with(kTemporaryPrefix); }

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  TRY_ASSIGN(FileReader reader, "", FileReader::open(path));
  auto bytes = read_all(reader, limit);
  if (!bytes && bytes.error().code() == Code::kTooLarge) {
    return fail(path, std::move(bytes).error());
  }
  return bytes;
}

Status write_file(const std::string& path, std::string_view bytes, FileOptions options) {
  TRY_ASSIGN(FileWriter writer, "", FileWriter::create(path, options));
  TRY("", writer.write(bytes));
  return writer.close();
}

}  // namespace landfall::io
