#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "control/artifact_tokens.h"
#include "control/context.h"
#include "http/router.h"

namespace landfall::control {

inline constexpr std::string_view kArtifactPath = "/artifacts";

// Where an artifact is to be had: the base is where clients reach the endpoint. The token is in the query, for servers
// (ours, too) write paths into their logs.
std::string artifact_url(std::string_view base, std::string_view token);

// Whether the artifact is kept in the cluster, because its location is read-only: then only the endpoint has it.
bool is_kept_in_cluster(api::DownloadTarget target, const FoundLocation& location);

// Serves artifacts to those who hold a token:
//
//   GET /artifacts?token=TOKEN                the artifact, exactly as the store keeps it
//   GET /artifacts?token=TOKEN&follow=true    a log as plain text; of an operation that is running, as it grows, until
//                                             the operation ends
//
// The log of an operation that this process is at is served from here, in the form in which it will be stored. An
// artifact that is not there is 404, and so is one of something that does not exist; a token that is not good is 403.
//
// Memory is a few pieces for each client; a client that is slow holds no thread, and one that does not read is cut by
// the server. Those who follow share one thread. Create it before the http::Server that has its routes and destroy it
// after; the context and the tokens must outlive it.
class ArtifactEndpoint {
 public:
  struct Settings {
    std::size_t threads = 4;                               // that read from stores
    std::size_t followers = 256;                           // more get 503
    Duration look_every = std::chrono::milliseconds(200);  // for new lines of a log
  };

  ArtifactEndpoint(const Context& context, const ArtifactTokens& tokens, Settings settings);
  ArtifactEndpoint(const ArtifactEndpoint&) = delete;
  ArtifactEndpoint& operator=(const ArtifactEndpoint&) = delete;
  ~ArtifactEndpoint();

  std::vector<http::Route> routes();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::control
