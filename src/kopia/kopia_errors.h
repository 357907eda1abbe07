#pragma once

#include "base/result.h"
#include "uploader_program/program_errors.h"

namespace landfall::kopia {

// What can be done about it: kopia tells by words alone.
Error error_of(const uploader_program::Ending& ending);

// Whether there is no repository, rather than no program or snapshot.
bool is_missing_repository(const Error& error);

}  // namespace landfall::kopia
