// Our gzip and zlib's on the same text, which looks like the JSON of a cluster's objects; and listing an archive of it.

#include <benchmark/benchmark.h>
#include <zlib.h>

#include <string>

#include "base/random.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "io/tar_reader.h"
#include "io/tar_writer.h"

namespace landfall::io {
namespace {

constexpr int kItems = 20'000;
constexpr std::size_t kItemSize = 2048;

class CountingWriter final : public Writer {
 public:
  Status write(std::string_view bytes) override {
    count_ += bytes.size();
    return {};
  }
  Status close() override { return {}; }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
};

// A tar of items of 2 KiB that share their structure and differ in their values.
const std::string& archive() {
  static const std::string bytes = [] {
    SeededRandom random(7);
    StringWriter sink;
    TarWriter tar(sink);
    for (int i = 0; i < kItems; ++i) {
      const std::string name = "config-" + std::to_string(i);
      std::string item = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                         R"(","namespace":"team-)" + std::to_string(i % 200) + R"(","uid":")" +
                         std::to_string(random.bits()) + R"("},"data":{)";
      while (item.size() < kItemSize - 60) {
        item += R"("option.)" + std::to_string(random.uniform(500)) + R"(":"value )" +
                std::to_string(random.uniform(100'000)) + R"( of )" + std::to_string(random.uniform(50)) + R"(",)";
      }
      item.resize(kItemSize, ' ');
      const std::string path = "resources/configmaps/namespaces/team-" + std::to_string(i % 200) + "/" + name + ".json";
      static_cast<void>(tar.add({.name = path, .mtime = WallTime(std::chrono::seconds(1'767'225'600))}, item));
    }
    static_cast<void>(tar.close());
    return sink.take();
  }();
  return bytes;
}

const std::string& compressed_archive() {
  static const std::string bytes = [] {
    StringWriter sink;
    GzipWriter writer(sink);
    static_cast<void>(writer.write(archive()));
    static_cast<void>(writer.close());
    return sink.take();
  }();
  return bytes;
}

void report(benchmark::State& state, std::size_t compressed) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * archive().size()));
  state.counters["ratio"] = static_cast<double>(archive().size()) / static_cast<double>(compressed);
}

// Arguments: level, workers.
void BM_GzipWriter(benchmark::State& state) {
  std::size_t size = 0;
  for (auto _ : state) {
    CountingWriter sink;
    GzipWriter writer(sink,
                      {.level = static_cast<int>(state.range(0)), .workers = static_cast<unsigned>(state.range(1))});
    StringReader reader(archive());
    if (!copy(reader, writer) || !writer.close()) {
      state.SkipWithError("compressing failed");
    }
    size = sink.count();
  }
  report(state, size);
}
BENCHMARK(BM_GzipWriter)
    ->Args({6, 1})
    ->Args({6, 2})
    ->Args({5, 2})
    ->Args({7, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_ZlibDeflate(benchmark::State& state) {
  std::size_t size = 0;
  std::string out(archive().size(), '\0');
  for (auto _ : state) {
    z_stream stream{};
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
    std::string in = archive();
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    size = stream.total_out;
    deflateEnd(&stream);
  }
  report(state, size);
}
BENCHMARK(BM_ZlibDeflate)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_GzipReader(benchmark::State& state) {
  for (auto _ : state) {
    StringReader source(compressed_archive());
    GzipReader reader(source);
    CountingWriter sink;
    if (!copy(reader, sink)) {
      state.SkipWithError("decompressing failed");
    }
  }
  report(state, compressed_archive().size());
}
BENCHMARK(BM_GzipReader)->UseRealTime()->Unit(benchmark::kMillisecond);

// What indexing an archive costs on top of decompressing it.
void BM_TarReader(benchmark::State& state) {
  for (auto _ : state) {
    StringReader source(archive());
    TarReader reader(source);
    int count = 0;
    for (auto entry = reader.next(); entry && *entry != nullptr; entry = reader.next()) {
      ++count;
    }
    if (count != kItems) {
      state.SkipWithError("listing failed");
    }
  }
  report(state, compressed_archive().size());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kItems));
}
BENCHMARK(BM_TarReader)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace landfall::io
