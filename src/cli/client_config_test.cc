#include "cli/client_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/describe_parts.h"
#include "cli/test_run.h"
#include "io/file.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

// Prints what a command would work with.
void add_show(const Command& root) {
  root.leaf("show", "").action([](const Context& context, const GlobalFlags& flags) {
    std::string text = flags.namespace_name + "|" + (wants_colors(flags, context) ? "coloured" : "plain");
    for (const std::string& feature : flags.features) text += "|" + feature;
    return context.out.write(text);
  });
}

class Settings : public testing::Test {
 protected:
  void write(const std::string& text) const {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream(file()) << text;
  }
  std::filesystem::path file() const { return directory_.path() / ".config/velero/config.json"; }
  std::string show(std::vector<std::string> flags, std::map<std::string, std::string> environment,
                   const std::string& program = "landfall", bool on_terminal = false) const {
    environment["HOME"] = directory_.path();
    flags.insert(flags.begin(), "show");
    return run_with(add_show, flags,
                    {.program = program,
                     .environment = Environment(std::move(environment)),
                     .terminal = {.is_terminal = on_terminal}})
        .out;
  }

  testkit::TempDir directory_;
};

TEST_F(Settings, OfTheFlagWinOverTheFileWhichWinsOverTheEnvironment) {
  EXPECT_EQ(show({}, {}), "velero|plain");
  EXPECT_EQ(show({}, {{"VELERO_NAMESPACE", "from-environment"}}), "from-environment|plain");
  write(R"({"namespace":"from-file","features":"A,B"})");
  EXPECT_EQ(show({}, {{"VELERO_NAMESPACE", "from-environment"}}), "from-file|plain|A|B");
  EXPECT_EQ(show({"-n", "from-flag", "--features", "C"}, {}), "from-flag|plain|C|A|B");
  write(R"({"namespace":""})");
  EXPECT_EQ(show({}, {{"VELERO_NAMESPACE", "from-environment"}}), "from-environment|plain");
}

TEST_F(Settings, DecideAboutColours) {
  EXPECT_EQ(show({}, {}, "landfall", true), "velero|coloured");
  EXPECT_EQ(show({}, {}, "velero", false), "velero|coloured");  // Velero colours pipes, too
  EXPECT_EQ(show({"--colorized"}, {}), "velero|coloured");
  EXPECT_EQ(show({"--colorized=false"}, {}, "landfall", true), "velero|plain");
  EXPECT_EQ(show({"--colorized"}, {{"NO_COLOR", "1"}}, "velero"), "velero|plain");
  EXPECT_EQ(show({}, {{"NO_COLOR", ""}}, "landfall", true), "velero|coloured");
  write(R"({"colorized":"false"})");
  EXPECT_EQ(show({}, {}, "velero", true), "velero|plain");
  EXPECT_EQ(show({"--colorized=true"}, {}), "velero|coloured");
  write(R"({"colorized":"perhaps"})");
  EXPECT_EQ(show({}, {}, "velero"), "velero|coloured");
}

TEST_F(Settings, OfOthersStayInTheFile) {
  write(R"({"unknown":{"a":[1,2]},"colorized":true,"namespace":"old"})");
  ClientConfig config = ClientConfig::load(Environment({{"HOME", directory_.path()}})).value();
  EXPECT_EQ(config.get_or("colorized", "unset"), "unset");
  config.set("namespace", "new");
  ASSERT_TRUE(config.save());
  EXPECT_EQ(io::read_file(file(), 1000).value(), R"({"colorized":true,"namespace":"new","unknown":{"a":[1,2]}})");
}

}  // namespace
}  // namespace landfall::cli
