#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/artifact_route.h"
#include "api/download_target.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/context.h"
#include "io/http_client.h"
#include "io/stream.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::cli {

// How artifacts are fetched: the flags of every command that does.
struct ArtifactFlags {
  bool insecure_skip_tls_verify = false;
  std::string ca_file;
};
void add_artifact_flags(const Command& command, ArtifactFlags& flags);

// Files of backups and restores, by way of the server: a DownloadRequest says where they are. That address is only the
// fast way, with a few seconds to connect: where it leads nowhere from here, Landfall's server is asked for the bytes
// through the API server. Everything is borrowed. Thread-safe.
class Artifacts {
 public:
  Artifacts(kube::Client& client, std::string name_space, const ArtifactFlags& flags, const Context& context)
      : client_(client), name_space_(std::move(name_space)), flags_(flags), context_(context) {}

  // Hands over what the file says, uncompressed. kNotFound when there is no such file; kTimeout when the server names
  // no address in time.
  using Use = std::function<Status(io::Reader& text)>;
  Status read(api::DownloadTarget target, const std::string& name, Duration patience, const Use& use) const;
  // The same with the bytes as the bucket keeps them, compressed, and how many they are; 0 where nobody says.
  using UseBytes = std::function<Status(io::Reader& bytes, ByteCount size)>;
  Status read_raw(api::DownloadTarget target, const std::string& name, Duration patience, const UseBytes& use) const;
  // Nothing when there is no such file. Read with a limit.
  Result<std::optional<json::Json>> document(api::DownloadTarget target, const std::string& name) const;
  // A log as it grows, until its operation ends. Where the server cannot give it so, what there is of it.
  Status follow(api::DownloadTarget target, const std::string& name, Duration patience, io::Writer& to) const;

 private:
  // Where a file is to be had.
  struct Place {
    std::string url;
    std::optional<api::ArtifactRoute> route;
    std::string ca;  // authorities for the address, where the location names any
  };
  struct Terms {
    bool follows = false;
    SteadyTime deadline;  // until the bytes begin to come
    Duration idle;
  };
  Result<Place> place_of(api::DownloadTarget target, const std::string& name, SteadyTime deadline) const;
  Status fetch(const Place& place, const Terms& terms, const UseBytes& use) const;
  Result<std::unique_ptr<io::HttpDownload>> open(const Place& place, const Terms& terms) const;
  Result<std::unique_ptr<io::HttpDownload>> open_directly(const Place& place, const Terms& terms) const;
  // Of the location that holds it; empty when it names none.
  std::string authority_of(api::DownloadTarget target, const std::string& name) const;

  kube::Client& client_;
  const std::string name_space_;
  const ArtifactFlags& flags_;
  const Context& context_;
  // What was wrong with hosts that cannot be reached: describe asks for many files, and waits for none of them twice.
  mutable Guarded<std::map<std::string, Error>> unreachable_;
};

}  // namespace landfall::cli
