// The conformance suite of object stores: the S3 driver against MinIO and versitygw.

#include <map>
#include <string>

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

const std::map<std::string, std::string> kFaultsOfVersitygw{
    {"RemovalsDoNotHarmPutsBesideThem",
     "versitygw refuses a put (409) when another request removes its folder meanwhile"},
    {"ConcurrentPutsLeaveOneWholeObject",
     "with --sidecar versitygw stores an object and its checksum one after the other"},
};

INSTANTIATE_TEST_SUITE_P(RealS3, StoreConformance,
                         testing::Values(ConformanceTarget{"MinIO", open_minio},
                                         ConformanceTarget{"versitygw", open_versitygw, kFaultsOfVersitygw}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::store
