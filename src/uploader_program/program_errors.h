#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::uploader_program {

// How a run ended that should have gone well.
struct Ending {
  int exit_code = 0;
  int signal = 0;
  std::string text;  // what the program said last
};

// One line of valid UTF-8, no longer than a message should be.
std::string one_line(std::string_view text);

// The text says that the disk is full, that the storage refuses the keys or that it cannot be reached. Both programs
// speak with S3 through the same library and to the system through the same language.
std::optional<Error> storage_error(const std::string& text);

// For what nobody knows better: ended by a signal (which another try may survive), or with a number.
Error plain_error(std::string_view program, const Ending& ending);

// Of a program that only tried again until somebody lost patience.
Error gave_up(std::string_view program, std::string_view complaint);

}  // namespace landfall::uploader_program
