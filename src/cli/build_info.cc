#include "cli/build_info.h"

namespace landfall::cli {

std::string_view build_version() { return "v1.18.3+landfall.1"; }

std::string_view build_commit() {
  return
#include "cli/build_commit.inc"
      ;
}

}  // namespace landfall::cli
