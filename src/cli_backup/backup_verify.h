#pragma once

#include <string>

#include "bucket/verify.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// What `backup verify` found, for people and for scripts.
std::string verify_text(const bucket::VerifyReport& report);
json::Json verify_document(const bucket::VerifyReport& report);

}  // namespace landfall::cli
