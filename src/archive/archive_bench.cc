// Writing and indexing an archive of 100,000 items of 2 KiB, each in a process of its own, in turns with what Velero
// uses (Go's archive/tar over compress/gzip at its default level) and with `gzip -dc | tar t`. Times are medians of
// whole processes; the counters hold the comparison.
//
// The program starts itself for the measured work: `archive_bench write ITEMS ARCHIVE`, `archive_bench index ARCHIVE`.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "archive/archive_writer.h"
#include "archive/spooled_archive.h"
#include "base/encoding.h"
#include "base/random.h"
#include "base/strings.h"
#include "io/descriptor.h"
#include "io/file.h"
#include "io/process.h"
#include "io/temp_dir.h"

namespace landfall::archive {
namespace {

constexpr int kItems = 100'000;
constexpr std::size_t kItemSize = 2048;
constexpr WallTime kTime{std::chrono::seconds(1'767'225'600)};
constexpr int kOut = 1;

// The same work as ours, as Velero does it. Reads lines of resource, version, namespace, name and JSON between tabs.
constexpr std::string_view kGoProgram = R"go(package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"time"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	in, err := os.Open(os.Args[1])
	check(err)
	out, err := os.Create(os.Args[2])
	check(err)
	zipped := gzip.NewWriter(out)
	archive := tar.NewWriter(zipped)
	when := time.Unix(1767225600, 0)
	add := func(name string, content []byte) {
		check(archive.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Typeflag: tar.TypeReg, Mode: 0755, ModTime: when}))
		_, err := archive.Write(content)
		check(err)
	}
	add("metadata/version", []byte("1.1.0\n"))
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		check(err)
		parts := bytes.SplitN(line[:len(line)-1], []byte{'\t'}, 5)
		root, tail := "resources/"+string(parts[0]), "/namespaces/"+string(parts[2])+"/"+string(parts[3])+".json"
		add(root+tail, parts[4])
		add(root+"/"+string(parts[1])+"-preferredversion"+tail, parts[4])
	}
	check(archive.Close())
	check(zipped.Close())
	check(out.Close())
}
)go";

// ---- what is measured, in processes of their own ----

// Calls `use` for every line of a file.
template <class Use>
Status each_line(const std::string& path, const Use& use) {
  TRY_ASSIGN(io::FileReader file, "", io::FileReader::open(path));
  std::vector<char> chunk(1UL << 20U);
  std::size_t kept = 0;
  while (true) {
    TRY_ASSIGN(const std::size_t got, "", file.read(std::span(chunk).subspan(kept)));
    std::string_view rest(chunk.data(), kept + got);
    for (auto line = cut(rest, '\n'); line; line = cut(rest, '\n')) {
      TRY("", use(line->first));
      rest = line->second;
    }
    if (got == 0) {
      return {};
    }
    kept = rest.size();
    std::copy(rest.begin(), rest.end(), chunk.begin());
  }
}

Status write_child(const std::string& items, const std::string& archive) {
  TRY_ASSIGN(io::FileWriter file, "", io::FileWriter::create(archive));
  ArchiveWriter writer(file, kTime);
  TRY("", each_line(items, [&](std::string_view line) -> Status {
        std::vector<std::string_view> parts;
        for (int i = 0; i < 4; ++i) {
          const auto [part, rest] = *cut(line, '\t');
          parts.push_back(part);
          line = rest;
        }
        return writer.add({.resource = k8s::parse_group_resource(parts[0]),
                           .version = std::string(parts[1]),
                           .namespace_name = std::string(parts[2]),
                           .name = std::string(parts[3])},
                          line);
      }));
  TRY("", writer.close());
  return file.close();
}

Result<std::string> index_child(const std::string& archive) {
  TRY_ASSIGN(io::FileReader file, "", io::FileReader::open(archive));
  const std::string directory = std::filesystem::path(archive).parent_path();
  TRY_ASSIGN(const SpooledArchive spooled, "", SpooledArchive::read(file, {.directory = directory}, {}, {}));
  return std::to_string(spooled.index().item_count()) + " " + std::to_string(spooled.index().memory_bytes());
}

// The most memory that this process has had, in KiB. Not getrusage: what it says begins with the parent's.
std::string peak_memory() {
  const auto status = io::read_file("/proc/self/status", 1UL << 16U);
  const auto words = split_words(status ? std::string_view(*status) : "");
  const auto label = std::ranges::find(words, "VmHWM:");
  return label == words.end() ? "0" : std::string(*(label + 1));
}

int run_child(std::span<char*> arguments) {
  const std::string work = arguments[1];
  Result<std::string> done = work == "write" ? write_child(arguments[2], arguments[3]).map([] { return std::string(); })
                                             : index_child(arguments[2]);
  const std::string answer = done ? *done + " " + peak_memory() : done.error().message();
  static_cast<void>(io::write_descriptor(kOut, answer));
  return done ? 0 : 1;
}

// ---- the comparison ----

// An object as clusters have them: much that repeats, names, and what does not compress (identifiers, digests, keys).
std::string make_item(int number, Random& random) {
  const std::string name = "web-" + std::to_string(number);
  const std::string team = "team-" + std::to_string(number % 200);
  std::string key;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t bits = random.bits();
    key.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
  std::string json =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"deployment.kubernetes.io/revision":")" +
      std::to_string(random.uniform(40)) + R"("},"creationTimestamp":"2026-0)" + std::to_string(1 + random.uniform(9)) +
      "-1" + std::to_string(random.uniform(10)) + "T1" + std::to_string(random.uniform(10)) +
      R"(:30:00Z","generation":2,"labels":{"app":")" + name + R"(","team":")" + team +
      R"("},"managedFields":[{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{},"f:team":{}}},"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{}}}}},"manager":"kubectl","operation":"Update"}],"name":")" +
      name + R"(","namespace":")" + team + R"(","resourceVersion":")" + std::to_string(random.uniform(100'000'000)) +
      R"(","uid":")" + uuid4(random) + R"("},"spec":{"replicas":)" + std::to_string(random.uniform(9)) +
      R"(,"selector":{"matchLabels":{"app":")" + name + R"("}},"template":{"metadata":{"labels":{"app":")" + name +
      R"("}},"spec":{"containers":[{"env":[{"name":"KEY","value":")" + base64_encode(key) +
      R"("}],"image":"registry.example.com/)" + team + "/" + name + R"(@sha256:)" + hex_encode(key.substr(0, 32)) +
      R"(","imagePullPolicy":"IfNotPresent","name":"main","resources":{"limits":{"cpu":")" +
      std::to_string(random.uniform(4000)) + R"(m","memory":")" + std::to_string(random.uniform(4096)) +
      R"(Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}},"note":")";
  while (json.size() < kItemSize - 2) {
    json += "option-" + std::to_string(random.uniform(2000)) + "=on ";
  }
  json.resize(kItemSize - 2);
  return "deployments.apps\tv1\t" + team + "\t" + name + "\t" + json + "\"}\n";
}

struct Run {
  double seconds = 0;
  std::vector<std::string> answer;  // the words that it wrote
};

// Programs and files of one run of this program.
class Workshop {
 public:
  Workshop() : directory_(io::TempDir::create(std::filesystem::temp_directory_path()).value()) {
    std::string lines;
    SeededRandom random(11);
    for (int i = 0; i < kItems; ++i) {
      lines += make_item(i, random);
    }
    static_cast<void>(io::write_file(items(), lines));
    static_cast<void>(io::write_file(directory_.path("main.go"), kGoProgram));
    const auto built = run({"go", "build", "-o", directory_.path("go-archive"), directory_.path("main.go")});
    has_go_ = built.has_value();
  }

  std::string items() const { return directory_.path("items"); }
  std::string archive() const { return directory_.path("ours.tar.gz"); }
  std::string go_archive() const { return directory_.path("go.tar.gz"); }
  std::string go_program() const { return directory_.path("go-archive"); }
  bool has_go() const { return has_go_; }

  Result<Run> run(std::vector<std::string> argv) {
    const io::ProcessSpec spec{
        .argv = std::move(argv),
        .env = {{"PATH", "/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin"}, {"HOME", directory_.path()}}};
    const SteadyTime start = system_clock().now();
    TRY_ASSIGN(const io::ProcessResult result, "", io::make_system_process_runner(system_clock())->run(spec, {}));
    Run done{.seconds = std::chrono::duration<double>(system_clock().now() - start).count()};
    if (!result.succeeded()) {
      return fail(Code::kInternal, describe(result) + result.out);
    }
    for (const std::string_view word : split_words(result.out)) {
      done.answer.emplace_back(word);
    }
    return done;
  }

 private:
  io::TempDir directory_;
  bool has_go_ = false;
};

Workshop& workshop() {
  static Workshop shop;
  return shop;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

double file_size(const std::string& path) { return static_cast<double>(std::filesystem::file_size(path)); }

const std::string kSelf = "/proc/self/exe";
constexpr double kMiBSize = 1024.0 * 1024;
constexpr double kUncompressed = 2.0 * kItems * (512 + kItemSize) / kMiBSize;

// Runs ours and the other, if there is one, in turns.
void compare(benchmark::State& state, const std::vector<std::string>& ours, const std::vector<std::string>& other) {
  std::vector<double> our_times;
  std::vector<double> other_times;
  double memory = 0;
  for (auto _ : state) {
    const auto our_run = workshop().run(ours);
    if (!our_run) {
      state.SkipWithError(our_run.error().message().c_str());
      return;
    }
    our_times.push_back(our_run->seconds);
    memory = std::max(memory, static_cast<double>(parse_int64(our_run->answer.back()).value_or(0)) / 1024);
    if (our_run->answer.size() > 1) {
      state.counters["index_bytes_per_item"] =
          static_cast<double>(parse_int64(our_run->answer[1]).value_or(0)) / kItems;
    }
    state.SetIterationTime(our_run->seconds);
    if (other.empty()) {
      continue;
    }
    const auto other_run = workshop().run(other);
    if (!other_run) {
      state.SkipWithError(other_run.error().message().c_str());
      return;
    }
    other_times.push_back(other_run->seconds);
  }
  state.counters["peak_MiB"] = memory;
  state.counters["ours_MiB/s"] = kUncompressed / median(our_times);
  if (!other.empty()) {
    state.counters["other_MiB/s"] = kUncompressed / median(other_times);
    state.counters["speedup"] = median(other_times) / median(our_times);
  }
}

void BM_Write(benchmark::State& state) {
  Workshop& shop = workshop();
  const std::string self = std::filesystem::read_symlink(kSelf);
  compare(state, {self, "write", shop.items(), shop.archive()},
          shop.has_go() ? std::vector<std::string>{shop.go_program(), shop.items(), shop.go_archive()}
                        : std::vector<std::string>());
  state.counters["ratio"] = kUncompressed * kMiBSize / file_size(shop.archive());
  if (shop.has_go()) {
    state.counters["size_to_go"] = file_size(shop.archive()) / file_size(shop.go_archive());
  } else {
    state.SetLabel("without the comparison: there is no go here");
  }
}
BENCHMARK(BM_Write)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

// Reads what BM_Write left.
void BM_Index(benchmark::State& state) {
  const std::string self = std::filesystem::read_symlink(kSelf);
  const std::string archive = workshop().archive();
  if (!std::filesystem::exists(archive) && !workshop().run({self, "write", workshop().items(), archive})) {
    state.SkipWithError("no archive");
    return;
  }
  compare(state, {self, "index", archive}, {"sh", "-c", "gzip -dc \"$0\" | tar t >/dev/null", archive});
}
BENCHMARK(BM_Index)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace landfall::archive

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() > 2 &&
      (arguments[1] == std::string_view("write") || arguments[1] == std::string_view("index"))) {
    return landfall::archive::run_child(arguments);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
