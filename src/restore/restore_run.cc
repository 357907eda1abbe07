#include "restore/restore_run.h"

#include "restore/restore_session.h"

namespace landfall::restore {

Result<RestoreProduct> run_restore(const RestoreJob& job, RestoreTools& tools, const std::stop_token& stop) {
  return RestoreSession(job, tools, stop).restore();
}

}  // namespace landfall::restore
