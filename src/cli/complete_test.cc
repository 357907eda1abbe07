#include "cli/complete.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/app.h"
#include "cli/test_run.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

struct Flags {
  std::string text;
  std::string choice;
  bool wait = false;
  std::vector<std::string> names;
};

void add_some(const Command& root) {
  const auto flags = std::make_shared<Flags>();
  const Command backup = root.group("backup", "Backups");
  const Command get = backup.leaf("get", "List backups");
  get.arguments("NAME", flags->names, "Those to show");
  get.choice("-o,--output", flags->choice, {"table", "json", "yaml"}, "How");
  get.flag("-l,--selector", flags->text, "Which");
  get.action([](const Context&, const GlobalFlags&) { return Status(); });
  const Command create = backup.leaf("create", "Create a backup");
  create.arguments("NAME", flags->names, "Its name");
  create.flag("-w,--wait", flags->wait, "Wait for it");
  create.flag("--include-namespaces", flags->names, "Which");
  create.action([](const Context&, const GlobalFlags&) { return Status(); });
  const Command restore = root.group("restore", "Restores").leaf("create", "Create a restore");
  restore.flag("--from-backup", flags->text, "The backup");
  const Command group = root.group("get", "List");
  group.leaf("backups", "List backups").arguments("NAME", flags->names, "Those to show");
}

class Complete : public testing::Test {
 protected:
  Complete() {
    std::ofstream(kubeconfig()) << R"({"apiVersion":"v1","kind":"Config","current-context":"c",)"
                                << R"("contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],)"
                                << R"("clusters":[{"name":"c","cluster":{"server":")" << server_.url("")
                                << R"("}}],"users":[{"name":"u","user":{}}]})";
  }
  std::string kubeconfig() const { return directory_.path() / "config"; }

  std::string of(std::vector<std::string> words) {
    words.insert(words.begin(), kCompleteWord);
    const Ran ran = run_with(add_some, words,
                             {.environment = Environment({{"HOME", directory_.path()}, {"KUBECONFIG", kubeconfig()}})});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }

  testkit::TempDir directory_;
  ScriptedServer server_{ScriptedServer::answering([](const ScriptedRequest& request) {
    if (request.target.starts_with("/api/v1/namespaces?")) {
      return reply(200, R"({"items":[{"metadata":{"name":"shop"}},{"metadata":{"name":"site"}}]})");
    }
    const bool is_elsewhere = request.target.starts_with("/apis/velero.io/v1/namespaces/elsewhere/");
    return reply(200, is_elsewhere ? R"({"items":[{"metadata":{"name":"far"}}]})"
                                   : R"({"items":[{"metadata":{"name":"nightly-1"}},{"metadata":{"name":"other"}}]})");
  })};
};

TEST_F(Complete, OffersCommandsWithTheirHelp) {
  EXPECT_EQ(of({""}), "words\nbackup\tBackups\nrestore\tRestores\nget\tList\n");
  EXPECT_EQ(of({"ba"}), "words\nbackup\tBackups\n");
  EXPECT_EQ(of({"backup", "c"}), "words\ncreate\tCreate a backup\n");
}

TEST_F(Complete, OffersFlagsOfTheCommandAndOfEveryCommand) {
  EXPECT_EQ(of({"backup", "create", "--w"}), "words\n--wait\tWait for it\n");
  EXPECT_EQ(of({"backup", "create", "--kubec"}),
            "words\n--kubeconfig\tThe kubeconfig to use; else $KUBECONFIG, ~/.kube/config, in-cluster\n"
            "--kubecontext\tThe context in it to use\n");
}

TEST_F(Complete, OffersTheChoicesOfAFlagInBothSpellings) {
  EXPECT_EQ(of({"backup", "get", "-o", ""}), "words\ntable\njson\nyaml\n");
  EXPECT_EQ(of({"backup", "get", "--output", "j"}), "words\njson\n");
  EXPECT_EQ(of({"backup", "get", "--output=j"}), "words\n--output=json\n");
}

TEST_F(Complete, OffersNamesOfObjects) {
  EXPECT_EQ(of({"backup", "get", "n"}), "words\nnightly-1\n");
  EXPECT_EQ(of({"get", "backups", "nightly-1", ""}), "words\nnightly-1\nother\n");
  EXPECT_EQ(of({"restore", "create", "--from-backup", "o"}), "words\nother\n");
  EXPECT_EQ(of({"restore", "create", "--from-backup=o"}), "words\n--from-backup=other\n");
  EXPECT_EQ(of({"-n", "elsewhere", "backup", "get", ""}), "words\nfar\n");
}

TEST_F(Complete, OffersTheNextNameOfAList) {
  EXPECT_EQ(of({"backup", "create", "--include-namespaces", "shop,si"}), "words\nshop,site\n");
}

TEST_F(Complete, OffersNoNamesForWhatIsNew) { EXPECT_EQ(of({"backup", "create", ""}), "words\n"); }

TEST_F(Complete, LeavesFilesToTheShell) { EXPECT_EQ(of({"--kubeconfig", ""}), "files\n"); }

TEST_F(Complete, IsSilentWhereNothingCanBeKnown) {
  EXPECT_EQ(of({"--kubeconfig", "/no/such/file", "backup", "get", ""}), "words\n");
  EXPECT_EQ(of({"sail", "--storm", "x", ""}), "words\nbackup\tBackups\nrestore\tRestores\nget\tList\n");
  server_.stop();
  EXPECT_EQ(of({"backup", "get", ""}), "words\n");
}

}  // namespace
}  // namespace landfall::cli
