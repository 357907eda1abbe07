#include "restore/findings.h"

namespace landfall::restore {

void add_to(operation::Results& results, const std::vector<Finding>& findings) {
  for (const Finding& one : findings) {
    operation::ResultList& list = one.is_error ? results.errors : results.warnings;
    if (one.place == Finding::Place::kRun) {
      list.add_to_run(one.text);
    } else {
      list.add_to_namespace(one.name_space, one.text);
    }
  }
}

}  // namespace landfall::restore
