#pragma once

#include <nlohmann/json.hpp>

#include "json/json_fwd.h"

// The document type in full. For .cc files only; a header takes json/json_fwd.h.
//
// Use json/parse.h to read and write text and json/access.h to reach into a document: the members of Json that do the
// same (parse, at, value, dump) throw.

// Instantiated once, in json.cc: a file that uses documents compiles about a sixth faster.
extern template class nlohmann::basic_json<>;
