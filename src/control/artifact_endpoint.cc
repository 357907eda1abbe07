#include "control/artifact_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <variant>

#include "base/guarded.h"
#include "bucket/layout.h"
#include "control/restore_files.h"
#include "http/streaming.h"
#include "http/worker_pool.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "io/stream.h"

namespace landfall::control {
namespace {

using http::Responder;
using operation::RunLog;

constexpr std::size_t kPiece = std::size_t{64} * 1024;
// Compressed alone, so large enough to be worth it; GzipWriter starts no threads below a MiB.
constexpr std::size_t kLogPiece = std::size_t{512} * 1024;
// For one who follows a log that grows fast: then the next one's turn comes.
constexpr int kPiecesAtOnce = 8;

http::ResponseHead head_of(std::string_view type, std::string_view file) {
  http::ResponseHead head;
  head.headers.add("Content-Type", std::string(type));
  head.headers.add("Cache-Control", "no-store");
  if (!file.empty()) head.headers.add("Content-Disposition", fmt::format("attachment; filename=\"{}\"", file));
  return head;
}

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

std::string_view type_of(bucket::Form form) {
  return form == bucket::Form::kJson ? "application/json" : "application/gzip";
}

// What the client can do about it. A store that refuses us is no refusal of the client's.
int status_of(const Error& error) {
  if (error.code() == Code::kNotFound) return 404;
  return is_retryable(error.code()) ? 503 : 502;
}

// An artifact that has been found in its store.
struct OpenArtifact {
  std::unique_ptr<location::OpenedLocation> location;
  std::unique_ptr<io::Reader> bytes;
  std::string file;
  std::string_view type;
  std::optional<std::uint64_t> size;
  std::unique_ptr<io::GzipReader> text;  // over the bytes, when it is wanted so

  Result<std::optional<std::string>> next() const {
    std::string piece(kPiece, '\0');
    io::Reader& reader = text ? static_cast<io::Reader&>(*text) : *bytes;
    TRY_ASSIGN(const std::size_t got, "artifact " + file, reader.read(std::span(piece.data(), piece.size())));
    if (got == 0) return std::nullopt;
    piece.resize(got);
    return piece;
  }
};

// The size as the store lists it; nothing where it does not say.
Result<std::optional<std::uint64_t>> size_of(bucket::BackupStore& store, const std::string& name,
                                             const std::string& file, const std::stop_token& stop) {
  TRY_ASSIGN(const auto files, "", store.files(name, stop));
  const auto found = std::ranges::find(files, file, &extension::ObjectInfo::key);
  return found == files.end() ? std::nullopt : found->size;
}

Status open_in(OpenArtifact& open, const std::string& name, bucket::BackupArtifact artifact,
               const std::stop_token& stop) {
  bucket::BackupStore& store = open.location->backups();
  TRY_ASSIGN(const bucket::BackupFolder folder, "", store.layout().backup(name));
  open.file = folder.file(artifact);
  open.type = type_of(form_of(artifact));
  TRY_ASSIGN(open.bytes, "", store.open(name, artifact, stop));
  TRY_ASSIGN(open.size, "", size_of(store, name, open.file, stop));
  return {};
}

Status open_in(OpenArtifact& open, const std::string& name, bucket::RestoreArtifact artifact,
               const std::stop_token& stop) {
  bucket::BackupStore& store = open.location->backups();
  TRY_ASSIGN(const bucket::RestoreFolder folder, "", store.layout().restore(name));
  TRY_ASSIGN(open.bytes, "", store.open(name, artifact, stop));
  open.file = store.file_name(name, artifact, stop).value_or(folder.file(artifact));
  // Under its other name it may be compressed or not.
  open.type = open.file == folder.file(artifact) ? type_of(form_of(artifact)) : "application/octet-stream";
  return {};
}

// Bytes in memory as a stream of them.
class HeldBytes final : public io::Reader {
 public:
  explicit HeldBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(std::span<char> buffer) override { return reader_.read(buffer); }

 private:
  const std::string bytes_;
  io::StringReader reader_{bytes_};
};

// What of a restore from a read-only location is kept in ConfigMaps.
std::optional<bucket::RestoreArtifact> kept_record(api::DownloadTarget target) {
  switch (target) {
    case api::DownloadTarget::kRestorePlan:
      return bucket::RestoreArtifact::kPlan;
    case api::DownloadTarget::kRestoreResults:
      return bucket::RestoreArtifact::kResults;
    case api::DownloadTarget::kRestoreVolumeInfo:
      return bucket::RestoreArtifact::kVolumeInfos;
    default:
      return {};
  }
}

Result<OpenArtifact> open_record(const Context& context, bucket::RestoreArtifact artifact, const std::string& name,
                                 const std::stop_token& stop) {
  TRY_ASSIGN(const json::Json restore, "restore " + name, context.objects(api::kRestore).get(name, stop));
  TRY_ASSIGN(const bucket::Layout layout, "", bucket::Layout::create(""));
  TRY_ASSIGN(const bucket::RestoreFolder folder, "", layout.restore(name));
  TRY_ASSIGN(std::string bytes, std::string(record_name(artifact)) + " of restore " + name,
             config_map_records_of(context, restore)->get(std::string(record_name(artifact)), stop));
  OpenArtifact open;
  open.file = folder.file(artifact);
  open.type = type_of(form_of(artifact));
  open.size = bytes.size();
  open.bytes = std::make_unique<HeldBytes>(std::move(bytes));
  return open;
}

// The log as it is now, compressed. Each piece is a gzip member of its own, as in the artifact that it will become.
http::Producer compressed(std::shared_ptr<RunLog> log) {
  struct State {
    std::uint64_t offset = 0;
    bool is_over = false;
  };
  return [log = std::move(log), state = std::make_shared<State>()]() -> Result<std::optional<std::string>> {
    if (state->is_over) return std::nullopt;
    TRY_ASSIGN(const std::string text, "", log->read(state->offset, kLogPiece));
    state->offset += text.size();
    state->is_over = text.size() < kLogPiece;  // what is written from now on is for those who follow
    io::StringWriter out;
    io::GzipWriter gzip(out);
    TRY("", gzip.write(text));
    TRY("", gzip.close());
    return out.take();
  };
}

// Hands the lines of running logs to those who follow them, on a thread of its own that waits for nobody.
class Followers {
 public:
  struct Follower {
    std::shared_ptr<Responder> responder;
    std::shared_ptr<RunLog> log;
    api::Kind kind;
    std::string name;
    std::uint64_t offset = 0;
  };

  Followers(const Context& context, std::size_t most, Duration look_every)
      : context_(context),
        most_(most),
        look_every_(look_every),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  // Begins the answer; false when there are too many.
  bool add(Follower follower, http::ResponseHead head) {
    return state_.update([&](State& state) {
      if (state.count >= most_) return false;
      ++state.count;
      follower.responder->begin(std::move(head));
      state.arrived.push_back(std::move(follower));
      return true;
    });
  }

 private:
  struct State {
    std::vector<Follower> arrived;
    std::size_t count = 0;  // with those that the thread has
  };

  void run(const std::stop_token& stop) {
    std::vector<Follower> all;
    while (!stop.stop_requested()) {
      const SteadyTime next_look = all.empty() ? kNever : context_.clock.after(look_every_);
      const auto take = [&](State& state) {
        std::ranges::move(state.arrived, std::back_inserter(all));
        state.arrived.clear();
      };
      state_.wait_then(
          context_.clock, stop, next_look, [](const State& state) { return !state.arrived.empty(); }, take);
      const std::size_t over = std::erase_if(all, [&](Follower& one) { return !serve(one); });
      if (over > 0) state_.update([&](State& state) { state.count -= over; });
    }
  }

  // False when it is over.
  bool serve(Follower& one) const {
    for (int i = 0; i < kPiecesAtOnce; ++i) {
      if (one.responder->closed()) return false;
      // Asked before reading: then what the operation wrote to its end is read for sure.
      const bool is_running = context_.running.log(one.kind, one.name) == one.log;
      auto text = one.log->read(one.offset, kPiece);
      if (!text) {
        one.responder->abort(text.error());
        return false;
      }
      if (text->empty()) {
        if (!is_running) one.responder->finish();
        return is_running;
      }
      const std::size_t size = text->size();
      switch (one.responder->write(http::Chunk(*std::move(text)))) {
        case http::WriteResult::kTaken:
          one.offset += size;
          break;
        case http::WriteResult::kFull:
          return true;
        case http::WriteResult::kClosed:
          one.responder->finish();
          return false;
      }
    }
    return true;
  }

  const Context& context_;
  const std::size_t most_;
  const Duration look_every_;
  Monitor<State> state_;
  std::jthread thread_;  // last: it ends before the rest goes
};

}  // namespace

bool is_kept_in_cluster(api::DownloadTarget target, const FoundLocation& location) {
  return location.view.is_read_only && kept_record(target).has_value();
}

std::string artifact_url(std::string_view base, std::string_view token) {
  if (base.ends_with('/')) base.remove_suffix(1);
  return fmt::format("{}{}?token={}", base, kArtifactPath, token);
}

class ArtifactEndpoint::Impl {
 public:
  Impl(const Context& context, const ArtifactTokens& tokens, const Settings& settings)
      : context_(context),
        tokens_(tokens),
        followers_(context_, settings.followers, settings.look_every),
        pool_({.name = "artifacts", .threads = settings.threads}, context.clock, context.log) {}

  void answer(http::Request request, const std::shared_ptr<Responder>& responder) {
    // Here and not on a worker: those without a good token take nothing from those with one.
    const auto grant = tokens_.check(request.query.get("token").value_or(""), context_.clock.wall_now());
    if (!grant) return responder->send(http::error_answer(403, "this address is not valid, or not any more"));
    const bool follows = request.query.get("follow") == "true";
    if (follows && !is_log(grant->target)) return responder->send(http::error_answer(400, "only logs can be followed"));
    http::on_workers(pool_, [this, grant = *grant, follows](const http::Request&, const std::shared_ptr<Responder>& to,
                                                            const std::stop_token& stop) {
      serve(grant, follows, to, stop);
    })(std::move(request), responder);
  }

 private:
  void serve(const ArtifactGrant& grant, bool follows, const std::shared_ptr<Responder>& responder,
             const std::stop_token& stop) {
    const auto log = is_log(grant.target) ? context_.running.log(kind_of(grant.target), grant.name) : nullptr;
    if (log && follows) return follow(grant, log, responder);
    if (log) return http::stream(responder, head_of("application/gzip", ""), compressed(log), &pool_);

    auto found = open(grant, stop);
    if (!found) return refuse(grant, found.error(), responder);
    const auto artifact = std::make_shared<OpenArtifact>(*std::move(found));
    http::ResponseHead head = head_of(follows ? kPlainText : artifact->type, follows ? "" : artifact->file);
    if (follows) {
      artifact->text = std::make_unique<io::GzipReader>(*artifact->bytes);
    } else {
      head.content_length = artifact->size;
    }
    http::stream(responder, std::move(head), [artifact] { return artifact->next(); }, &pool_);
  }

  void follow(const ArtifactGrant& grant, std::shared_ptr<RunLog> log, const std::shared_ptr<Responder>& responder) {
    const bool is_taken = followers_.add(
        {.responder = responder, .log = std::move(log), .kind = kind_of(grant.target), .name = grant.name},
        head_of(kPlainText, ""));
    if (!is_taken) responder->send(http::error_answer(503, "too many follow logs already: try again later"));
  }

  Result<OpenArtifact> open(const ArtifactGrant& grant, const std::stop_token& stop) const {
    const std::string_view kind = kind_of(grant.target).name;
    if (grant.location.empty()) {
      return fail(Code::kNotFound, fmt::format("there is no {} {}, or it has no storage location", kind, grant.name));
    }
    TRY_ASSIGN(const FoundLocation found, "backup storage location " + grant.location,
               context_.locations.find(grant.location, stop));
    if (is_kept_in_cluster(grant.target, found)) {
      return open_record(context_, kept_record(grant.target).value(), grant.name, stop);
    }
    OpenArtifact open;
    TRY_ASSIGN(open.location, "", context_.locations.open(found, stop));
    TRY("", std::visit([&](auto artifact) { return open_in(open, grant.name, artifact, stop); },
                       artifact_of(grant.target)));
    return open;
  }

  void refuse(const ArtifactGrant& grant, const Error& error, const std::shared_ptr<Responder>& responder) const {
    const int status = status_of(error);
    if (status != 404) {
      context_.log.warning("an artifact cannot be read",
                           {{"target", to_string(grant.target)}, {"name", grant.name}, LogField(error)});
    }
    const bool tell = error.code() != Code::kInternal;
    responder->send(http::error_answer(status, tell ? std::string_view(error.message()) : "internal error"));
  }

  const Context context_;
  const ArtifactTokens& tokens_;
  Followers followers_;
  http::WorkerPool pool_;  // last: its tasks use the rest
};

ArtifactEndpoint::ArtifactEndpoint(const Context& context, const ArtifactTokens& tokens, Settings settings)
    : impl_(std::make_unique<Impl>(context, tokens, settings)) {}

ArtifactEndpoint::~ArtifactEndpoint() = default;

std::vector<http::Route> ArtifactEndpoint::routes() {
  return {{.method = "GET",
           .pattern = std::string(kArtifactPath),
           .handler = [impl = impl_.get()](http::Request request, const std::shared_ptr<Responder>& responder) {
             impl->answer(std::move(request), responder);
           }}};
}

}  // namespace landfall::control
