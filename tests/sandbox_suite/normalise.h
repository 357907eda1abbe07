#pragma once

#include <string>
#include <string_view>

#include "json/json_fwd.h"

namespace landfall::sandbox {

// What is known about an exchange when its answer is read: what a client said itself is no accident.
struct AnswerContext {
  std::string sent;  // path, query and body as they are in the file: what an earlier answer said is not in it
  std::string run;   // the word that makes the names of one replay its own
};

// An answer as a document in which everything is gone that two right servers choose differently: uids, versions,
// times, addresses and ports they assign, ends of generated names, tokens, ages in tables, the order of managedFields.
// What the request named stays as it is, so that a server that loses it is found out. A body of several documents (a
// watch) becomes an array, one that is no JSON a string.
json::Json normalised(std::string_view body, const AnswerContext& context);

}  // namespace landfall::sandbox
