#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/test_run.h"
#include "cli_admin/commands.h"
#include "io/file.h"
#include "io/process.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void add_some(const Command& root) { add_completion_command(root); }

std::string script(const std::string& shell, const std::string& program = "landfall") {
  const Ran ran = run_with(add_some, {"completion", shell}, {.program = program});
  EXPECT_EQ(ran.code, 0) << ran.err;
  return ran.out;
}

// The script in a real bash, with a program in the place of ours that says what it was asked and answers.
class BashCompletion : public testing::Test {
 protected:
  // COMP_WORDS as bash would fill it; the last one is being completed.
  std::string complete(const std::string& words, const std::string& answer) {
    const std::string program = directory_.path() / "landfall";
    std::ofstream(program) << "#!/bin/sh\nprintf '[%s]' \"$@\" > " << asked() << "\nprintf '" << answer << "'\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::string file = directory_.path() / "script";
    EXPECT_TRUE(io::write_file(file, script("bash")));
    const std::string run = "source " + file + "\nCOMP_WORDS=(" + program + " " + words +
                            ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_landfall_words 2>/dev/null\n"
                            "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const auto runner = io::make_system_process_runner(system_clock());
    const auto done = runner->run({.argv = {"/bin/bash", "-c", run}}, {});
    EXPECT_TRUE(done && done->succeeded()) << (done ? done->err : done.error().message());
    return done ? done->out : "";
  }
  std::string asked() const { return directory_.path() / "asked"; }
  std::string was_asked() const { return io::read_file(asked(), 1000).value(); }

  testkit::TempDir directory_;
};

TEST_F(BashCompletion, AsksTheProgramAndOffersItsWordsWithoutTheirHelp) {
  EXPECT_EQ(complete("backup ''", "words\\nget\\tList backups\\ncreate\\n"), "get\ncreate\n");
  EXPECT_EQ(was_asked(), "[__complete][backup][]");
}

TEST_F(BashCompletion, PutsFlagsTogetherThatBashTakesApart) {
  EXPECT_EQ(complete("backup get --output = js", "words\\n--output=json\\n"), "json\n");
  EXPECT_EQ(was_asked(), "[__complete][backup][get][--output=js]");
  EXPECT_EQ(complete("backup get --output =", "words\\n--output=json\\n--output=yaml\\n"), "json\nyaml\n");
  EXPECT_EQ(was_asked(), "[__complete][backup][get][--output=]");
}

TEST_F(BashCompletion, QuotesWhatAShellWouldRun) {
  const std::string touched = directory_.path() / "touched";
  const std::string offered = complete("backup get ''", R"(words\n$(touch )" + touched + R"()\ntwo words\na;b\na,b\n)");
  EXPECT_THAT(offered, AllOf(HasSubstr("two\\ words\n"), HasSubstr("a\\;b\n"), HasSubstr("a,b\n")));
  const auto runner = io::make_system_process_runner(system_clock());
  const std::string run = "printf '[%s]' " + offered.substr(0, offered.find('\n'));
  const auto done = runner->run({.argv = {"/bin/bash", "-c", run}}, {});
  ASSERT_TRUE(done && done->succeeded());
  EXPECT_EQ(done->out, "[$(touch " + touched + ")]");
  EXPECT_FALSE(std::filesystem::exists(touched));
}

TEST_F(BashCompletion, LeavesFilesToBash) { EXPECT_EQ(complete("--kubeconfig ''", "files\\n"), "\n"); }

TEST(Completion, IsForTheNameThatTheProgramWasCalledBy) {
  EXPECT_THAT(script("bash", "velero"),
              AllOf(HasSubstr("complete -F _velero_words velero\n"), HasSubstr("__complete")));
}

TEST(Completion, KnowsZshAndFish) {
  EXPECT_THAT(script("zsh"), AllOf(HasSubstr("#compdef landfall\n"), HasSubstr("\"${words[1]}\" __complete "),
                                   HasSubstr("compdef _landfall_words landfall\n")));
  EXPECT_THAT(script("fish"), AllOf(HasSubstr("$words[1] __complete $words[2..-1]"),
                                    HasSubstr("complete -c landfall -f -a '(__landfall_words)'\n")));
}

}  // namespace
}  // namespace landfall::cli
