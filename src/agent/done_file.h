#pragma once

#include <string>

#include "base/result.h"

namespace landfall::agent {

// What becomes the name of the file: kInvalid for what would lead elsewhere.
Status check_restore_uid(const std::string& restore_uid);

// Says to the init container that a volume is filled: `<volume>/.velero/<UID of the Restore>`, empty. What a backup
// brought along under that name goes. Links below the volume are not followed: whoever writes there is not trusted.
Status write_done_file(const std::string& volume, const std::string& restore_uid);

}  // namespace landfall::agent
