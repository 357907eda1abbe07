#pragma once

#include "base/result.h"

namespace landfall::io {

// What an answer with an error status means to its caller, as far as HTTP itself says. A protocol on top may know
// better, and says so first.
Code code_of_status(int status);

}  // namespace landfall::io
