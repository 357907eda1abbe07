#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/manual_clock.h"
#include "cli/test_run.h"
#include "commands/all_commands.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Runs command lines in a home of their own.
class App : public testing::Test {
 protected:
  int run(const std::vector<std::string>& words, const std::string& program = "landfall") {
    ran_ = run_with(add_all_commands, words,
                    {.program = program, .environment = Environment({{"HOME", home_.path()}}), .clock = &clock_});
    return ran_.code;
  }

  testkit::TempDir home_;
  ManualClock clock_;
  Ran ran_{};
};

TEST_F(App, PrintsTheVersionInVelerosLayout) {
  EXPECT_EQ(run({"version", "--client-only"}), 0);
  EXPECT_THAT(ran_.out, StartsWith("Client:\n\tVersion: v1.18.3+landfall."));
  EXPECT_THAT(ran_.out, HasSubstr("\n\tGit commit: "));
}

TEST_F(App, PrintsTheVersionAsJsonAndYaml) {
  EXPECT_EQ(run({"version", "-o", "json"}), 0);
  EXPECT_THAT(ran_.out, StartsWith("{\n  \"client\": {\n"));
  EXPECT_EQ(run({"version", "--output=yaml"}), 0);
  EXPECT_THAT(ran_.out, StartsWith("client:\n  gitCommit: "));
}

TEST_F(App, LooksForAFirstWordAmongFirstWords) {
  EXPECT_EQ(run({"bckup", "get"}), 1);
  EXPECT_EQ(ran_.err, "Error: unknown command: bckup; did you mean backup? See 'landfall --help'\n");
}

TEST_F(App, TakesTheLoggingFlagsOfVelerosScripts) {
  EXPECT_EQ(run({"version", "--client-only", "-v", "4", "--logtostderr", "--stderrthreshold=2"}, "velero"), 0)
      << ran_.err;
  EXPECT_EQ(run({"version", "--client-only", "-v", "4"}), 1);
}

// A pipe whose reader has gone.
class ClosedPipe final : public io::Writer {
 public:
  Status write(std::string_view /*bytes*/) override { return tl::unexpected(output_gone()); }
  Status close() override { return {}; }
};

TEST_F(App, EndsQuietlyWhenNobodyReadsAnyMore) {
  io::StringReader in("");
  ClosedPipe out;
  io::StringWriter err;
  const Context context{.program = "landfall",
                        .environment = Environment({{"HOME", home_.path()}}),
                        .clock = clock_,
                        .in = in,
                        .out = out,
                        .err = err,
                        .out_terminal = {},
                        .err_terminal = {},
                        .stop = {}};
  EXPECT_EQ(cli::run(context, {"version", "--client-only"}, add_all_commands), 141);
  EXPECT_EQ(err.str(), "");
}

TEST_F(App, TakesShortFlagsWithAnEqualsSign) {
  EXPECT_EQ(run({"version", "--client-only", "-o=json"}), 0) << ran_.err;
  EXPECT_THAT(ran_.out, StartsWith("{"));
  EXPECT_EQ(run({"version", "--client-only", "-o="}), 1);
}

TEST_F(App, ReadsBooleansAsGoDoesAndTheLastOneCounts) {
  EXPECT_EQ(run({"version", "--client-only=maybe"}), 1);
  EXPECT_THAT(ran_.err, HasSubstr("maybe"));
  EXPECT_EQ(run({"version", "--client-only=99999999999999999999"}), 1);
  EXPECT_EQ(run({"version", "--client-only=false", "--client-only=true"}), 0) << ran_.err;
  EXPECT_THAT(ran_.out, StartsWith("Client:\n"));
  EXPECT_EQ(run({"version", "--client-only", "--colorized=x"}), 1);
  EXPECT_EQ(run({"version", "--client-only", "--colorized="}), 0) << ran_.err;
}

TEST_F(App, DoesNotTakeAnEmptyVariableForEverything) {
  EXPECT_EQ(run({"backup", "create", "b", "--include-namespaces", ""}), 1);
  EXPECT_THAT(ran_.err, HasSubstr("expected a list, got nothing"));
}

TEST_F(App, AnswersHelpAsAWord) {
  EXPECT_EQ(run({"help", "backup", "get"}), 0);
  EXPECT_THAT(ran_.out, HasSubstr("landfall backup get"));
  EXPECT_EQ(run({"help"}), 0);
  EXPECT_THAT(ran_.out, HasSubstr("Subcommands:"));
}

TEST_F(App, NeverSuggestsTheOpposite) {
  EXPECT_EQ(run({"uninstall"}), 1);
  EXPECT_THAT(ran_.err, testing::Not(HasSubstr("did you mean")));
}

TEST_F(App, AFlagWithoutItsValueIsAMistake) {
  EXPECT_EQ(run({"-n"}), 1);
  EXPECT_THAT(ran_.err, HasSubstr("-n"));
}

TEST_F(App, CalledAsVeleroAnUnknownWordBelowAGroupGetsItsHelp) {
  EXPECT_EQ(run({"backup", "nonsense"}, "velero"), 0);
  EXPECT_THAT(ran_.out, HasSubstr("velero backup"));
  EXPECT_EQ(run({"backup", "nonsense"}), 1);
  EXPECT_EQ(run({"nonsense"}, "velero"), 1);
}

TEST_F(App, ShowsNoControlCharactersOfErrors) {
  EXPECT_EQ(run({"\x1b[2Jx"}), 1);
  EXPECT_THAT(ran_.err, testing::Not(HasSubstr("\x1b")));
}

TEST_F(App, NamesAnUnknownCommandAndWhereToLook) {
  EXPECT_EQ(run({"sail"}), 1);
  EXPECT_THAT(ran_.err, StartsWith("Error: "));
  EXPECT_THAT(ran_.err, HasSubstr("unknown command: sail"));
  EXPECT_THAT(ran_.err, HasSubstr("See 'landfall --help'"));
}

TEST_F(App, NamesAnUnknownFlagAndTheCommandThatRefusedIt) {
  EXPECT_EQ(run({"version", "--sail"}), 1);
  EXPECT_THAT(ran_.err, HasSubstr("--sail"));
  EXPECT_THAT(ran_.err, HasSubstr("See 'landfall version --help'"));
}

TEST_F(App, RefusesAValueThatIsNotAChoice) {
  EXPECT_EQ(run({"version", "-o", "xml"}), 1);
  EXPECT_THAT(ran_.err, HasSubstr("\"xml\" is not one of table|json|yaml|name"));
}

TEST_F(App, ShowsHelpForAGroupWithoutAWordBelowIt) {
  EXPECT_EQ(run({"client", "config"}), 0);
  EXPECT_THAT(ran_.out, HasSubstr("get"));
  EXPECT_THAT(ran_.out, HasSubstr("set"));
}

TEST_F(App, ShowsHelpOfTheCommandThatWasNamed) {
  EXPECT_EQ(run({"archive", "inspect", "--help"}), 0);
  EXPECT_THAT(ran_.out, HasSubstr("inspect"));
  EXPECT_EQ(run({}), 0);
  EXPECT_THAT(ran_.out, HasSubstr("version"));
}

TEST_F(App, CalledAsVeleroPrefixesErrorsAsVeleroDoes) {
  EXPECT_EQ(run({"sail"}, "velero"), 1);
  EXPECT_THAT(ran_.err, StartsWith("velero: "));
}

TEST_F(App, TakesGlobalFlagsBehindTheCommand) { EXPECT_EQ(run({"version", "-n", "elsewhere"}), 0); }

TEST_F(App, KeepsSettingsInVelerosFile) {
  EXPECT_EQ(run({"client", "config", "set", "namespace=backup", "cacert=/a=b"}), 0);
  EXPECT_EQ(run({"client", "config", "get", "namespace", "cacert", "features"}), 0);
  EXPECT_EQ(ran_.out, "namespace: backup\ncacert: /a=b\nfeatures: <NOT SET>\n");

  const auto file = std::filesystem::path(home_.path()) / ".config/velero/config.json";
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  EXPECT_EQ(run({"client", "config", "set", "cacert="}), 0);
  EXPECT_EQ(run({"client", "config", "get"}), 0);
  EXPECT_EQ(ran_.out, "namespace: backup\n");
}

TEST_F(App, ChangesNoSettingWhenOneIsMalformed) {
  EXPECT_EQ(run({"client", "config", "set", "namespace=backup", "oops"}), 1);
  EXPECT_THAT(ran_.err, HasSubstr("\"oops\" is not of the form KEY=VALUE; nothing was changed"));
  EXPECT_EQ(run({"client", "config", "get"}), 0);
  EXPECT_EQ(ran_.out, "");
}

TEST_F(App, GoesOnWithABrokenSettingsFileAndSaysSo) {
  const auto directory = std::filesystem::path(home_.path()) / ".config/velero";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "config.json") << "{\"namespace\": ";
  EXPECT_EQ(run({"version"}), 0);
  EXPECT_THAT(ran_.err, StartsWith("WARNING: client configuration "));
  EXPECT_THAT(ran_.err, HasSubstr("config.json: line 1"));
}

}  // namespace
}  // namespace landfall::cli
