// The conformance suite of object stores: the S3 driver against MinIO and versitygw, and the real
// velero-plugin-for-aws, through our host, against MinIO.

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/log.h"
#include "io/process.h"
#include "plugin/plugin_host.h"
#include "real/s3_server.h"
#include "store_conformance/conditions.h"
#include "store_conformance/faults.h"
#include "store_conformance/listings.h"
#include "store_conformance/objects.h"
#include "store_conformance/races.h"

namespace landfall::store {
namespace {

Result<std::unique_ptr<extension::ObjectStore>> open_minio() {
  static const S3Server server("LANDFALL_REAL_MINIO");
  return server.open();
}

Result<std::unique_ptr<extension::ObjectStore>> open_versitygw() {
  static const S3Server server("LANDFALL_REAL_VERSITYGW");
  return server.open();
}

// The plugin is built elsewhere: LANDFALL_REAL_AWS_PLUGIN is the path of the program.
class AwsPlugin {
 public:
  explicit AwsPlugin(const std::string& program)
      : processes_(io::make_system_process_runner(system_clock())),
        host_({.environment = server_.environment().all()}, system_clock(), *processes_),
        registry_(host_.discover(std::filesystem::path(program).parent_path().string(), {}, {})) {}

  Result<std::unique_ptr<extension::ObjectStore>> open() const {
    TRY("", server_.open());  // makes the bucket
    return host_.session(registry_, {}).object_store("velero.io/aws", server_.config(), {});
  }

 private:
  const S3Server server_{"LANDFALL_REAL_MINIO"};
  const std::unique_ptr<io::ProcessRunner> processes_;
  const plugin::Host host_;
  const plugin::Registry registry_;
};

Result<std::unique_ptr<extension::ObjectStore>> open_aws_plugin() {
  static const AwsPlugin plugin(real_component("LANDFALL_REAL_AWS_PLUGIN"));
  return plugin.open();
}

const std::map<std::string, std::string> kFaultsOfVersitygw{
    {"RemovalsDoNotHarmPutsBesideThem",
     "versitygw refuses a put (409) when another request removes its folder meanwhile"},
    {"ConcurrentPutsLeaveOneWholeObject",
     "with --sidecar versitygw stores an object and its checksum one after the other"},
};

std::string why_no_aws_plugin() {
  if (Environment::of_process().get("LANDFALL_REAL_AWS_PLUGIN")) return {};
  return "LANDFALL_REAL_AWS_PLUGIN does not name a built velero-plugin-for-aws";
}

INSTANTIATE_TEST_SUITE_P(RealS3, StoreConformance,
                         testing::Values(ConformanceTarget{"MinIO", open_minio},
                                         ConformanceTarget{"versitygw", open_versitygw, kFaultsOfVersitygw},
                                         ConformanceTarget{"AwsPlugin", open_aws_plugin, {}, why_no_aws_plugin()}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::store
