#include "server/crd_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "api/definitions.h"
#include "api/names.h"
#include "io/log_sink.h"
#include "json/json.h"
#include "kube/resource.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/test_served_definitions.h"

namespace landfall::server {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DefinitionsCheck : public testing::Test {
 protected:
  // Puts those definitions into the cluster that `keep` keeps, as it has changed them.
  void install(const std::function<bool(Json&)>& keep = [](Json&) { return true; }) {
    for (Json definition : api::custom_resource_definitions()) {
      if (!keep(definition)) continue;
      const auto created =
          kube::Resource(*client_, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"}).create(definition, {});
      ASSERT_TRUE(created) << created.error().message();
    }
  }
  void establish() { served_.emplace(*sandbox_); }
  Status check() { return check_definitions(*client_, Logger(system_clock(), sink_), {}); }
  void await_log(const std::string& text) {
    while (sink_->text().find(text) == std::string::npos) {
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
  }

  const std::shared_ptr<io::MemoryLogSink> sink_ = std::make_shared<io::MemoryLogSink>();
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::SandboxClient client_{*sandbox_};
  std::optional<sandbox::ServedDefinitions> served_;
};

bool is(const Json& definition, const api::Kind& kind) { return definition["metadata"]["name"] == kind.definition(); }

TEST_F(DefinitionsCheck, IsSilentAboutOurOwn) {
  install();
  establish();
  const Status checked = check();
  EXPECT_TRUE(checked) << checked.error().message();
  EXPECT_THAT(sink_->text(), Not(HasSubstr("level=warning")));
}

TEST_F(DefinitionsCheck, NamesWhatIsMissingAndHowToInstallIt) {
  install([](Json& definition) { return !is(definition, api::kBackup) && !is(definition, api::kDataUpload); });
  establish();
  const Status checked = check();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), Code::kNotFound);
  EXPECT_THAT(checked.error().message(),
              AllOf(HasSubstr("backups.velero.io"), HasSubstr("datauploads.velero.io"),
                    HasSubstr("landfall install --crds-only"), Not(HasSubstr("restores.velero.io"))));
}

TEST_F(DefinitionsCheck, TakesAVersionThatIsNotServedForMissing) {
  install([](Json& definition) {
    if (is(definition, api::kSchedule)) definition["spec"]["versions"][0]["name"] = "v2";
    return true;
  });
  establish();
  EXPECT_THAT(check().error().message(), HasSubstr("schedules.velero.io"));
}

TEST_F(DefinitionsCheck, WarnsOnceOfFieldsThatAreDroppedAndOfOurKinds) {
  install([](Json& definition) {
    if (is(definition, api::kBackup)) {
      definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["progress"]
                ["properties"]
                    .erase("step");
    }
    return !is(definition, api::kVolumePluginBackup);
  });
  establish();

  const Status checked = check();
  EXPECT_TRUE(checked) << checked.error().message();

  const std::string text = sink_->text();
  EXPECT_THAT(text, HasSubstr("backups.velero.io (status.progress.step)"));
  EXPECT_THAT(text, HasSubstr("volumepluginbackups.velero.io"));
  EXPECT_THAT(text, HasSubstr("landfall install --crds-only"));
  EXPECT_EQ(text.find("level=warning"), text.rfind("level=warning"));
}

TEST_F(DefinitionsCheck, WaitsUntilTheyAreEstablished) {
  install();
  Status checked = fail(Code::kInternal, "not run");
  {
    const std::jthread checker([&] { checked = check(); });
    await_log("waiting for custom resource definitions");
    establish();
  }
  EXPECT_TRUE(checked) << checked.error().message();
}

}  // namespace
}  // namespace landfall::server
