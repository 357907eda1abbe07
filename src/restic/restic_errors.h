#pragma once

#include "base/result.h"
#include "uploader_program/program_errors.h"

namespace landfall::restic {

// What can be done about it. Releases before 0.17 tell most of it by words alone.
Error error_of(const uploader_program::Ending& ending);

// Whether somebody else has locked the repository.
bool is_locked(const Error& error);

}  // namespace landfall::restic
