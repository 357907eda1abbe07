#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bucket/artifact.h"
#include "bucket/backup_store.h"
#include "io/file.h"
#include "json/json.h"
#include "store/faulty_store.h"
#include "store/memory_store.h"

namespace landfall::bucket {

// A bucket in memory that fails as a test tells it to.
struct TestBucket {
  store::FaultyStore objects{store::make_memory_store()};
  BackupStore backups{objects, Layout::create("").value()};

  // Takes over a tree of files (of tests/data) as objects.
  void load(const std::filesystem::path& tree) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
      if (!entry.is_regular_file()) continue;
      put(std::filesystem::relative(entry.path(), tree), io::read_file(entry.path(), 1 << 20).value());
    }
  }
  void put(const std::string& key, std::string_view bytes) {
    const Status done = objects.put(key, extension::BytesSource(bytes), {}, {});
    if (!done) throw std::runtime_error(done.error().message());
  }
  std::string get(const std::string& key) {
    const auto reader = objects.get(key, {});
    return reader ? io::read_all(**reader, 1 << 24).value() : "<" + reader.error().message() + ">";
  }
  std::vector<std::string> keys() {
    std::vector<std::string> out;
    const auto add = [&](const extension::ObjectInfo& info) -> Status {
      out.push_back(info.key);
      return {};
    };
    (void)objects.list("", add, {});
    return out;
  }
};

inline json::Json backup_document(const std::string& name, const std::string& phase = "Completed") {
  return {{"apiVersion", "velero.io/v1"},
          {"kind", "Backup"},
          {"metadata", {{"name", name}, {"namespace", "velero"}}},
          {"status", {{"phase", phase}, {"formatVersion", "1.1.0"}}}};
}

}  // namespace landfall::bucket
