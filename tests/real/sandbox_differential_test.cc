// The same requests to a real kube-apiserver and to the sandbox: no answer differs but where the written list says so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <map>
#include <stdexcept>

#include "base/random.h"
#include "io/file.h"
#include "real/real_client.h"
#include "sandbox/server.h"
#include "sandbox_suite/differential.h"
#include "sandbox_world/test_served_definitions.h"

namespace landfall::sandbox {
namespace {

const std::string kSuite = LANDFALL_SOURCE_DIR "/tests/sandbox_suite/";
constexpr std::size_t kLeastRequests = 300;

std::map<std::string, std::string> request_files() {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kSuite + "requests")) {
    files[entry.path().stem()] = io::read_file(entry.path(), 1 << 20).value_or("");
  }
  return files;
}

std::unique_ptr<io::HttpClient> client(const std::string& ca_pem) {
  io::HttpClientOptions options;
  options.tls.ca_pem = ca_pem;
  auto created = io::HttpClient::create(options);
  if (!created) throw std::runtime_error(created.error().message());
  return *std::move(created);
}

struct Replays {
  std::future<Result<std::vector<Exchange>>> real;
  std::future<Result<std::vector<Exchange>>> sandbox;
};

TEST(SandboxDifferential, AnswersAsAKubeApiserverDoes) {
  const auto sandbox = Sandbox::start({}, system_clock(), system_random(), Logger()).value();
  const ServedDefinitions definitions(*sandbox);
  const auto real_http = client(kube::real_file("ca.crt"));
  const auto sandbox_http = client(sandbox->ca_pem());
  const ReplayTarget real_target{*real_http, real_component("LANDFALL_REAL_API"), "admintoken", system_clock()};
  const ReplayTarget sandbox_target{*sandbox_http, sandbox->url(), sandbox->token(), system_clock()};
  const std::string run = name_suffix(system_random());
  auto allowed = AllowedDifferences::read(io::read_file(kSuite + "allowed_differences.txt", 1 << 20).value_or("?"));
  ASSERT_TRUE(allowed) << allowed.error().message();

  const auto files = request_files();
  std::map<std::string, Replays> replays;
  for (const auto& [name, requests] : files) {
    const auto start = [&, &text = requests](const ReplayTarget& target) {
      return std::async(std::launch::async, [&text, &run, &target] { return replay(text, run, target); });
    };
    replays[name] = {start(real_target), start(sandbox_target)};
  }

  std::size_t count = 0;
  for (auto& [name, both] : replays) {
    const auto real = both.real.get();
    const auto ours = both.sandbox.get();
    ASSERT_TRUE(real) << name << ": real: " << real.error().message();
    ASSERT_TRUE(ours) << name << ": sandbox: " << ours.error().message();
    count += real->size();
    for (const Difference& difference : compare(name, *real, run, *ours, run)) {
      if (!allowed->covers(difference)) ADD_FAILURE() << to_string(difference);
    }
  }
  EXPECT_GE(count, kLeastRequests);
  EXPECT_THAT(allowed->unused(), testing::IsEmpty()) << "no request needs these any more: take them off the list";
}

}  // namespace
}  // namespace landfall::sandbox
