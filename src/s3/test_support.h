#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "s3/s3_store.h"
#include "testkit/scripted_server.h"

// What the tests of this module share.
namespace landfall::s3 {

inline constexpr const char* kPlantedId = "AKIAPLANTED";
inline constexpr const char* kPlantedSecret = "planted/secret+access+key";
inline constexpr const char* kPlantedToken = "planted-session-token";

inline Environment planted_environment() {
  return Environment({{"AWS_ACCESS_KEY_ID", kPlantedId},
                      {"AWS_SECRET_ACCESS_KEY", kPlantedSecret},
                      {"AWS_SESSION_TOKEN", kPlantedToken}});
}

// Quick to lose patience, and with parts of 64 bytes.
inline S3Options quick_options() {
  S3Options options;
  options.tuning.part_size = 64;
  options.tuning.parts_in_flight = 3;
  options.tuning.max_attempts = 4;
  options.tuning.retries = {.first = std::chrono::milliseconds(1), .cap = std::chrono::milliseconds(2)};
  return options;
}

inline std::unique_ptr<S3Store> open_at(const std::string& url, std::map<std::string, std::string> config = {},
                                        const S3Options& options = quick_options(),
                                        const Environment& environment = planted_environment(),
                                        Clock& clock = system_clock()) {
  config.try_emplace("bucket", "bkt");
  config.try_emplace("s3Url", url);
  auto store = open_s3_store(config, environment, clock, options);
  EXPECT_TRUE(store) << store.error().message();
  return store ? *std::move(store) : nullptr;
}

inline std::string s3_error(int status, const std::string& code, const std::string& message = "why",
                            const testkit::HeaderList& headers = {}) {
  return testkit::reply(status,
                        "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>" + message +
                            "</Message><RequestId>REQ1</RequestId></Error>",
                        headers);
}

// Answers one after the other, whichever connection asks; the last one again and again.
inline testkit::ScriptedServer::Script in_turn(std::vector<std::string> answers) {
  struct State {
    std::mutex mutex;
    std::vector<std::string> answers;
    std::size_t next = 0;
  };
  auto state = std::make_shared<State>();
  state->answers = std::move(answers);
  return testkit::ScriptedServer::answering([state](const testkit::ScriptedRequest&) {
    const std::scoped_lock lock(state->mutex);
    const std::size_t at = std::min(state->next++, state->answers.size() - 1);
    return state->answers[at];
  });
}

inline void expect_no_secret(const std::string& text) {
  for (const char* secret : {kPlantedId, kPlantedSecret, kPlantedToken, "Signature="}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in: " << text;
  }
}

}  // namespace landfall::s3
