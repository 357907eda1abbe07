#pragma once

#include <string>

#include "base/result.h"

namespace landfall::restore {

// What a user can do about an object that the cluster has refused, as the end of a sentence: "; raise the quota …".
// Empty where there is nothing to say that the message does not.
std::string hint_for(const Error& error);

}  // namespace landfall::restore
