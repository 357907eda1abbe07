#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "s3/client.h"
#include "s3/config.h"
#include "s3/s3_error.h"

// For tests against real servers.
namespace landfall::s3 {

// Makes the bucket that the config names; one that is ours already is no error.
inline Status create_bucket(const std::map<std::string, std::string>& config, const Environment& environment,
                            Clock& clock = system_clock()) {
  TRY_ASSIGN(S3Config parsed, "create bucket", parse_config(config));
  TRY_ASSIGN(const std::shared_ptr<Client> client, "create bucket",
             Client::create({.config = std::move(parsed), .environment = environment}, clock));
  const auto answer = client->send({.method = "PUT"}, {});
  if (!answer && s3_code_of(answer.error()) != "BucketAlreadyOwnedByYou") {
    return fail("create bucket", answer.error());
  }
  return {};
}

}  // namespace landfall::s3
