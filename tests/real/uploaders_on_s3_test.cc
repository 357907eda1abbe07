// Volumes in a real bucket, by the real programs: restic, and kopia where LANDFALL_REAL_KOPIA names it.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/random.h"
#include "io/descriptor.h"
#include "io/url.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "kopia/kopia_uploader.h"
#include "real/s3_server.h"
#include "restic/restic_uploader.h"
#include "testkit/temp_dir.h"

namespace landfall {
namespace {

namespace fs = std::filesystem;
using extension::IfMissing;
using extension::RepositoryAccess;

// Stands between a program and a server on this machine, and can be cut.
class Line {
 public:
  explicit Line(std::uint16_t to) : to_(to), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(listener_.get(), 64);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { relay(stop); });
  }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Whoever calls from now on is refused.
  void cut() {
    thread_.request_stop();
    thread_.join();
    listener_.reset();
  }

 private:
  using Pair = std::array<io::Descriptor, 2>;
  static sockaddr_in loopback(std::uint16_t port) {
    return {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  }
  void relay(const std::stop_token& stop) {
    std::vector<Pair> pairs;
    while (!stop.stop_requested()) {
      std::vector<pollfd> events = {{.fd = listener_.get(), .events = POLLIN}};
      for (const Pair& pair : pairs) {
        for (const io::Descriptor& end : pair) events.push_back({.fd = end.get(), .events = POLLIN});
      }
      constexpr int kLookForStop = 20;
      ::poll(events.data(), events.size(), kLookForStop);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (std::size_t side : {0U, 1U}) {
          if (events[1 + 2 * i + side].revents != 0 && !pass(pairs[i], side)) pairs[i] = {};
        }
      }
      if (events[0].revents != 0) pairs.push_back(accept());
      std::erase_if(pairs, [](const Pair& pair) { return !pair[0] || !pair[1]; });
    }
  }
  Pair accept() const {
    Pair pair = {io::Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
                 io::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
    const sockaddr_in address = loopback(to_);
    if (::connect(pair[1].get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
    return pair;
  }
  static bool pass(const Pair& pair, std::size_t from) {
    if (!pair[from]) return false;
    std::array<char, 65536> chunk{};
    const auto got = io::read_descriptor(pair[from].get(), chunk);
    return got && *got > 0 && io::write_descriptor(pair[1 - from].get(), {chunk.data(), *got}).has_value();
  }

  const std::uint16_t to_;
  io::Descriptor listener_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

class UploadersOnS3 : public testing::Test {
 protected:
  UploadersOnS3() {
    for (const fs::path& path : {volume(), target(), scratch()}) fs::create_directory(path);
    SeededRandom random(1);
    for (int i = 0; i < 24; ++i) {
      std::string text(2 << 20, '\0');
      for (char& c : text) c = static_cast<char>(random.uniform(256));
      std::ofstream(volume() / std::to_string(i)) << text;
    }
  }
  fs::path volume() const { return directory_.path() / "volume"; }
  fs::path target() const { return directory_.path() / "target"; }
  fs::path scratch() const { return directory_.path() / "scratch"; }
  std::string file(const fs::path& folder, int index) const {
    std::ifstream text(folder / std::to_string(index));
    return {std::istreambuf_iterator<char>(text), {}};
  }
  RepositoryAccess repository(const std::string& type, const std::string& endpoint = "") {
    EXPECT_TRUE(server_.open());
    return {.s3 = extension::S3Access{.endpoint = endpoint.empty() ? server_.config().at("s3Url") : endpoint,
                                      .bucket = server_.config().at("bucket"),
                                      .region = "us-east-1",
                                      .access_key = server_.environment().get("AWS_ACCESS_KEY_ID").value(),
                                      .secret_key = server_.environment().get("AWS_SECRET_ACCESS_KEY").value()},
            .path = "pre/" + type + "/shop",
            .password = "static-passw0rd"};
  }
  std::uint16_t port() const { return io::effective_port(io::parse_url(server_.config().at("s3Url")).value()); }
  restic::ResticUploader restic() {
    return restic::ResticUploader({.temporary_directory = scratch(),
                                   .progress_interval = std::chrono::milliseconds(50),
                                   .patience = std::chrono::seconds(5)},
                                  *processes_);
  }
  // The program itself, as Velero's kopia would write.
  std::string take_kopia_snapshot(const std::string& program, const RepositoryAccess& place) {
    const auto run = [&](std::vector<std::string> arguments) {
      io::ProcessSpec spec;
      spec.argv = {program, "--disable-file-logging", "--no-auto-maintenance"};
      spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
      spec.env = {{"PATH", "/usr/bin:/bin"},
                  {"HOME", directory_.path()},
                  {"KOPIA_PASSWORD", place.password},
                  {"KOPIA_CONFIG_PATH", directory_.path() / "writer.config"},
                  {"KOPIA_CACHE_DIRECTORY", directory_.path() / "writer-cache"},
                  {"KOPIA_CHECK_FOR_UPDATES", "false"},
                  {"AWS_ACCESS_KEY_ID", place.s3->access_key},
                  {"AWS_SECRET_ACCESS_KEY", place.s3->secret_key}};
      const auto ran = processes_->run(spec, {}).value();
      if (!ran.succeeded()) ADD_FAILURE() << io::describe(ran);
      return ran.out;
    };
    run({"repository", "create", "s3", "--bucket=" + place.s3->bucket, "--prefix=" + place.path + "/", "--disable-tls",
         "--endpoint=127.0.0.1:" + std::to_string(port()), "--override-username=default",
         "--override-hostname=default"});
    const std::string made = run({"snapshot", "create", volume(), "--json",
                                  "--override-source=default@default:snapshot-pod-volume/kopia/shop/db-0/data"});
    return json::string_at(json::parse(made).value(), {"id"}).value();
  }

  S3Server server_{"LANDFALL_REAL_MINIO"};
  testkit::TempDir directory_;
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  progress::ByteReporter reporter_{system_clock(), Logger()};
};

TEST_F(UploadersOnS3, ResticGoesThereAndBack) {
  restic::ResticUploader restic = this->restic();
  const RepositoryAccess place = repository("restic");
  EXPECT_EQ(restic.open(place, IfMissing::kFail, {}).error().code(), Code::kNotFound);
  ASSERT_TRUE(restic.open(place, IfMissing::kCreate, {}));
  const auto up = restic.upload(place, {.directory = volume(), .parent = std::string(64, 'a')}, reporter_, {});
  ASSERT_TRUE(up) << up.error().message();
  const auto down = restic.download(place, {.snapshot = up->snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(*down, 48 * kMiB);
  for (const int index : {0, 11, 23}) EXPECT_EQ(file(target(), index), file(volume(), index));
  RepositoryAccess wrong = place;
  wrong.s3->secret_key = "wr0ng";
  const Status refused = restic.open(wrong, IfMissing::kFail, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kForbidden) << refused.error().message();
  EXPECT_THAT(refused.error().message(), testing::Not(testing::HasSubstr("wr0ng")));
}

TEST_F(UploadersOnS3, ABucketThatGoesAwayEndsABackup) {
  restic::ResticUploader restic = this->restic();
  ASSERT_TRUE(restic.open(repository("restic"), IfMissing::kCreate, {}));
  Line line(port());
  const SteadyTime began = system_clock().now();
  std::jthread cutter([&](const std::stop_token& done) {
    while (!done.stop_requested() && reporter_.snapshot().bytes.done == ByteCount()) std::this_thread::yield();
    line.cut();
  });
  const auto up = restic.upload(repository("restic", line.address()), {.directory = volume()}, reporter_, {});
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().code(), Code::kUnavailable) << up.error().message();
  EXPECT_LT(system_clock().now() - began, std::chrono::minutes(5));
}

TEST_F(UploadersOnS3, KopiaRestoresWhatWasStoredAsByVelero) {
  const auto program = Environment::of_process().get("LANDFALL_REAL_KOPIA");
  if (!program || program->empty()) GTEST_SKIP() << "LANDFALL_REAL_KOPIA names no kopia";
  const RepositoryAccess place = repository("kopia");
  kopia::KopiaUploader kopia({.program = *program, .temporary_directory = scratch()}, *processes_);
  EXPECT_EQ(kopia.open(place, IfMissing::kFail, {}).error().code(), Code::kNotFound);
  const std::string snapshot = take_kopia_snapshot(*program, place);
  const auto down = kopia.download(place, {.snapshot = snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(*down, 48 * kMiB);
  for (const int index : {0, 11, 23}) EXPECT_EQ(file(target(), index), file(volume(), index));
  EXPECT_TRUE(fs::is_empty(scratch()));
  RepositoryAccess wrong = place;
  wrong.s3->secret_key = "wr0ng";
  const Status refused = kopia.open(wrong, IfMissing::kFail, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kForbidden) << refused.error().message();
}

TEST_F(UploadersOnS3, ABucketThatGoesAwayEndsARestoreByKopia) {
  const auto program = Environment::of_process().get("LANDFALL_REAL_KOPIA");
  if (!program || program->empty()) GTEST_SKIP() << "LANDFALL_REAL_KOPIA names no kopia";
  const std::string snapshot = take_kopia_snapshot(*program, repository("kopia"));
  kopia::KopiaUploader kopia({.program = *program, .temporary_directory = scratch()}, *processes_);
  Line line(port());
  std::jthread cutter([&](const std::stop_token& done) {
    while (!done.stop_requested() && fs::is_empty(target())) std::this_thread::yield();
    line.cut();
  });
  const auto down =
      kopia.download(repository("kopia", line.address()), {.snapshot = snapshot, .directory = target()}, reporter_, {});
  ASSERT_FALSE(down);
  EXPECT_EQ(down.error().code(), Code::kUnavailable) << down.error().message();
}

}  // namespace
}  // namespace landfall
