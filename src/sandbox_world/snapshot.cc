#include "sandbox_world/snapshot.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "io/file.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kFormat = "landfall-sandbox";
constexpr std::int64_t kVersion = 1;
// A server refuses objects half as large.
constexpr std::size_t kLongestLine = std::size_t{8} << 20U;

// Writes lines and keeps their digest.
class LineWriter {
 public:
  explicit LineWriter(io::Writer& to) : to_(to) {}

  Status write(std::string line) {
    line += '\n';
    digest_.update(line);
    return to_.write(line);
  }
  std::string digest() { return hex_encode(as_bytes(digest_.finish())); }

 private:
  io::Writer& to_;
  Sha256 digest_;
};

// Reads lines of a bounded length and keeps the digest of all but the last that it handed out.
class LineReader {
 public:
  explicit LineReader(io::Reader& from) : from_(from) {}

  // Nothing at the end of the file, or where the last line is not finished.
  Result<std::optional<std::string>> next() {
    digest_.update(last_);
    last_.clear();
    while (true) {
      if (const std::size_t end = buffer_.find('\n', at_); end != std::string::npos) {
        last_ = buffer_.substr(at_, end + 1 - at_);
        at_ = end + 1;
        return std::optional<std::string>(last_.substr(0, last_.size() - 1));
      }
      buffer_.erase(0, std::exchange(at_, 0));
      if (buffer_.size() > kLongestLine) return fail(Code::kDataLoss, "a line is too long");
      std::array<char, 65536> piece{};
      TRY_ASSIGN(const std::size_t got, "", from_.read(piece));
      if (got == 0) return std::optional<std::string>();
      buffer_.append(piece.data(), got);
    }
  }
  std::string digest_before() { return hex_encode(as_bytes(digest_.finish())); }

 private:
  io::Reader& from_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::string last_;
  Sha256 digest_;
};

std::string advice(const std::filesystem::path& path) {
  return "; to start with an empty sandbox, move " + path.string() + " away (the volumes' directories can stay)";
}

Status write_objects(const Store& store, LineWriter& lines, const std::vector<std::pair<std::string, Snapshot>>& all) {
  std::size_t objects = 0;
  for (const auto& [resource, snapshot] : all) objects += snapshot.objects.size();
  TRY("", lines.write(json::dump(
              {{"format", kFormat}, {"version", kVersion}, {"revision", store.revision()}, {"objects", objects}})));
  for (const auto& [resource, snapshot] : all) {
    for (const ObjectPtr& object : snapshot.objects) {
      TRY("", lines.write("{\"resource\":" + json::dump(resource) + ",\"object\":" + object->bytes + "}"));
    }
  }
  return {};
}

struct Header {
  std::uint64_t revision = 0;
  std::size_t objects = 0;
};

Result<Header> read_header(LineReader& lines) {
  TRY_ASSIGN(const std::optional<std::string> line, "", lines.next());
  const auto document = json::parse(line.value_or(""));
  if (!document || json::string_or(*document, {"format"}, "") != kFormat) {
    return fail(Code::kDataLoss, "this is not a snapshot of a sandbox");
  }
  const std::int64_t version = json::int_or(*document, {"version"}, 0);
  if (version != kVersion) {
    return fail(Code::kUnsupported, "it is of version " + std::to_string(version) +
                                        ", and this program reads version " + std::to_string(kVersion));
  }
  const std::int64_t revision = json::int_or(*document, {"revision"}, -1);
  const std::int64_t objects = json::int_or(*document, {"objects"}, -1);
  if (revision < 1 || objects < 0) return fail(Code::kDataLoss, "its header is damaged");
  return Header{static_cast<std::uint64_t>(revision), static_cast<std::size_t>(objects)};
}

Status read_object(Store& store, const std::string& line) {
  const auto document = json::parse(line);
  if (!document) return fail(Code::kDataLoss, document.error().message());
  const std::string resource = json::string_or(*document, {"resource"}, "");
  const Json* object = json::find(*document, {"object"});
  if (resource.empty() || object == nullptr || !object->is_object() || k8s::ObjectView(*object).name().empty() ||
      k8s::ObjectView(*object).uid().empty()) {
    return fail(Code::kDataLoss, "it is no object of a resource");
  }
  TRY("", store.create(k8s::parse_group_resource(resource), encode(*object)));
  return {};
}

Result<std::size_t> read_lines(Store& store, LineReader& lines) {
  TRY_ASSIGN(const Header header, "", read_header(lines));
  store.start_at(header.revision);
  for (std::size_t i = 0; i < header.objects; ++i) {
    TRY_ASSIGN(const std::optional<std::string> line, "", lines.next());
    if (!line) {
      return fail(Code::kDataLoss,
                  "it ends after " + std::to_string(i) + " objects of " + std::to_string(header.objects));
    }
    TRY("line " + std::to_string(i + 2), read_object(store, *line));
  }
  TRY_ASSIGN(const std::optional<std::string> last, "", lines.next());
  const auto trailer = json::parse(last.value_or(""));
  if (!trailer || json::string_or(*trailer, {"sha256"}, "") != lines.digest_before()) {
    return fail(Code::kDataLoss, "its checksum is wrong");
  }
  return header.objects;
}

}  // namespace

Result<std::size_t> save_snapshot(const Store& store, const std::filesystem::path& path) {
  std::vector<std::pair<std::string, Snapshot>> all;
  std::size_t objects = 0;
  for (const k8s::GroupResource& resource : store.resources()) {
    all.emplace_back(k8s::to_string(resource), store.list(resource, ""));
    objects += all.back().second.objects.size();
  }
  const std::string context = "save snapshot " + path.string();
  TRY_ASSIGN(io::FileWriter file, context, io::FileWriter::create(path.string(), {.mode = 0600}));
  LineWriter lines(file);
  TRY(context, write_objects(store, lines, all));
  TRY(context, file.write(json::dump({{"sha256", lines.digest()}}) + "\n"));
  TRY(context, file.close());
  return objects;
}

Result<std::size_t> load_snapshot(Store& store, const std::filesystem::path& path) {
  TRY_ASSIGN(io::FileReader file, "load snapshot", io::FileReader::open(path.string()));
  LineReader lines(file);
  auto loaded = read_lines(store, lines);
  if (!loaded) {
    return fail(loaded.error().code(),
                "load snapshot " + path.string() + ": " + loaded.error().message() + advice(path));
  }
  return loaded;
}

}  // namespace landfall::sandbox
