#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace landfall::uploader_program {

// How much a process has written so far, to files and to everything else. Sizes of files would not tell: restic gives
// a file its full size before it has written any of it. Nothing when it is gone or the machine does not say.
std::optional<ByteCount> written_by(int pid);

// From the text of /proc/PID/io.
std::optional<ByteCount> parse_written(std::string_view text);

}  // namespace landfall::uploader_program
