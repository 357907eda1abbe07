#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "io/http_client.h"

namespace landfall::sandbox {

// A server to send requests to. What is borrowed must outlive it.
struct ReplayTarget {
  io::HttpClient& http;
  std::string url;    // "https://127.0.0.1:6443"
  std::string token;  // of somebody who may do everything
  Clock& clock;
};

// A request of a file and what came back.
struct Exchange {
  std::string what;  // the sentence of the request
  std::string line;  // method and path as they are in the file
  std::string sent;  // path, query and body, with the names in ${} not replaced
  int status = 0;
  std::string content_type;
  std::vector<std::string> warnings;
  std::string body;
};

// Sends the requests of a file (tests/sandbox_suite/README.md has the format) one after another. `run` becomes ${run}:
// a word that no other replay against that server has used. Fails when the file is not well-formed or an exchange does
// not come about; an answer of any status is a success.
Result<std::vector<Exchange>> replay(std::string_view requests, const std::string& run, const ReplayTarget& target);

}  // namespace landfall::sandbox
