#include "store/memory_store.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/guarded.h"
#include "base/quote.h"

namespace landfall::store {
namespace {

using extension::ObjectSource;
using extension::PutOptions;

using Content = std::shared_ptr<const std::string>;
using Objects = std::map<std::string, Content, std::less<>>;

constexpr std::size_t kChunk = 64UL * 1024;

std::string naming(std::string_view key) { return "memory: object " + quote(key); }

Status go_on(const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(Code::kCancelled, "memory: stopped");
  return {};
}

class ContentReader final : public io::Reader {
 public:
  ContentReader(Content content, std::stop_token stop)
      : content_(std::move(content)), reader_(*content_), stop_(std::move(stop)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    TRY("", go_on(stop_));
    return reader_.read(buffer);
  }

 private:
  const Content content_;
  io::StringReader reader_;
  const std::stop_token stop_;
};

Result<std::string> read_source(const ObjectSource& source, const std::stop_token& stop) {
  TRY("", go_on(stop));
  TRY_ASSIGN(const std::unique_ptr<io::Reader> reader, "", source.open());
  std::string bytes;
  std::array<char, kChunk> chunk{};
  while (true) {
    TRY_ASSIGN(const std::size_t got, "", reader->read(chunk));
    TRY("", go_on(stop));
    if (got == 0) break;
    bytes.append(chunk.data(), got);
  }
  if (const auto size = source.size(); size && *size != bytes.size()) {
    return fail(Code::kDataLoss,
                std::to_string(*size) + " bytes were announced, " + std::to_string(bytes.size()) + " came");
  }
  return bytes;
}

class MemoryStore final : public extension::ObjectStore {
 public:
  extension::StoreCapabilities capabilities() const override {
    return {.keeps_empty_objects = true, .lists_sizes = true, .signs_urls = false, .creates_if_absent = true};
  }

  Status put(std::string_view key, const ObjectSource& source, const PutOptions& options,
             const std::stop_token& stop) override {
    TRY("", extension::check_key(key));
    TRY_ASSIGN(std::string bytes, naming(key), read_source(source, stop));
    auto content = std::make_shared<const std::string>(std::move(bytes));
    return objects_.with([&](Objects& objects) -> Status {
      if (options.if_absent && objects.contains(key)) {
        return fail(Code::kAlreadyExists, naming(key) + ": it exists");
      }
      objects.insert_or_assign(std::string(key), std::move(content));
      return {};
    });
  }

  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override {
    TRY("", extension::check_key(key));
    TRY("", go_on(stop));
    Content content = find(key);
    if (!content) return fail(Code::kNotFound, naming(key) + ": there is no such object");
    return std::make_unique<ContentReader>(std::move(content), stop);
  }

  Result<bool> exists(std::string_view key, const std::stop_token& stop) override {
    TRY("", extension::check_key(key));
    TRY("", go_on(stop));
    return find(key) != nullptr;
  }

  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override {
    for (auto& info : infos(prefix)) {
      TRY("", go_on(stop));
      TRY("", visit(info));
    }
    return go_on(stop);
  }

  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override {
    TRY("", go_on(stop));
    if (!prefix.empty() && !prefix.ends_with('/')) {
      return fail(Code::kInvalid, "folders below " + quote(prefix) + ": it must end in \"/\"");
    }
    std::set<std::string> names;
    for (const auto& info : infos(prefix)) {
      const std::size_t slash = info.key.find('/', prefix.size());
      if (slash != std::string::npos) names.insert(info.key.substr(0, slash + 1));
    }
    return std::vector<std::string>(names.begin(), names.end());
  }

  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override {
    TRY("", go_on(stop));
    Status first;
    for (const std::string& key : keys) {
      Status checked = extension::check_key(key);
      if (!checked && first) first = std::move(checked);
      objects_.with([&](Objects& objects) { objects.erase(key); });
    }
    return first;
  }

  Result<std::string> signed_url(std::string_view key, std::chrono::seconds /*valid_for*/,
                                 const std::stop_token& /*stop*/) override {
    TRY("", extension::check_key(key));
    return fail(Code::kUnsupported, naming(key) + ": what is in memory has no URL");
  }

  Result<std::size_t> sweep(std::string_view /*prefix*/, WallTime /*begun_before*/,
                            const std::stop_token& /*stop*/) override {
    return 0U;  // nothing outlives its process
  }

 private:
  Content find(std::string_view key) const {
    return objects_.with([&](const Objects& objects) {
      const auto found = objects.find(key);
      return found == objects.end() ? nullptr : found->second;
    });
  }

  std::vector<extension::ObjectInfo> infos(std::string_view prefix) const {
    return objects_.with([&](const Objects& objects) {
      std::vector<extension::ObjectInfo> infos;
      for (auto at = objects.lower_bound(prefix); at != objects.end() && at->first.starts_with(prefix); ++at) {
        infos.push_back({.key = at->first, .size = at->second->size()});
      }
      return infos;
    });
  }

  Guarded<Objects> objects_;
};

}  // namespace

std::unique_ptr<extension::ObjectStore> make_memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace landfall::store
