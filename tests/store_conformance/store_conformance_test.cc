// The conformance suite on the stores of this machine.

#include "store_conformance/conditions.h"
#include "store_conformance/faults.h"
#include "store_conformance/listings.h"
#include "store_conformance/objects.h"
#include "store_conformance/test_stores.h"

namespace landfall::store {
namespace {

INSTANTIATE_TEST_SUITE_P(Local, StoreConformance, local_stores(),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::store
