#include "server/plugin_parts.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/fake_process.h"
#include "testkit/temp_dir.h"

namespace landfall::server {
namespace {

namespace fs = std::filesystem;

TEST(PluginParts, PluginsLearnTheNamespaceThatTheServerWasToldByAFlag) {
  const testkit::TempDir plugins;
  const testkit::TempDir scratch;
  fs::permissions(plugins.write("plugin", ""), fs::perms::owner_all);
  io::FakeProcessRunner processes;
  processes.add("plugin", [](io::FakeProcess& /*process*/) { return 1; });
  ServerOptions options;
  options.name_space = "backups";
  options.plugin_dir = plugins.path();
  for (const char* const found : {"", "another"}) {
    const Environment environment({{"VELERO_NAMESPACE", found}, {"TMPDIR", scratch.path().string()}});
    PluginParts(options, environment, system_clock(), processes, Logger()).discover({});
  }
  const auto calls = processes.calls();
  ASSERT_EQ(calls.size(), 2U);
  for (const auto& call : calls) EXPECT_EQ(call.env.at("VELERO_NAMESPACE"), "backups");
}

}  // namespace
}  // namespace landfall::server
