#pragma once

#include <string_view>

namespace landfall::cli {

// "v1.18.3+landfall.1": the Velero release whose contracts this build speaks, and our own number.
std::string_view build_version();
// The commit it was built from; "-dirty" is added when the checkout had changes.
std::string_view build_commit();

}  // namespace landfall::cli
