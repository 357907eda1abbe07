#include "cli/artifacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "api/names.h"
#include "api/status.h"
#include "base/encoding.h"
#include "base/random.h"
#include "base/strings.h"
#include "bucket/artifact.h"
#include "cli/artifact_route.h"
#include "cli/client_config.h"
#include "io/gzip_reader.h"
#include "io/http_client.h"
#include "io/url.h"
#include "json/access.h"
#include "json/json.h"
#include "kube/resource.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::DownloadTarget;
using json::Json;

namespace {

constexpr Duration kDocumentPatience = std::chrono::seconds(30);
constexpr Duration kFirstLook = std::chrono::milliseconds(5);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(50);
constexpr Duration kConnect = std::chrono::seconds(3);
constexpr Duration kHeadPatience = std::chrono::seconds(10);
constexpr Duration kSilence = std::chrono::seconds(60);
constexpr int kOk = 200;
constexpr int kNotThere = 404;

// Landfall's own endpoint; others sign addresses of their own.
bool is_of_endpoint(const std::string& url) { return contains(url, "/artifacts?token="); }

Artifacts::UseBytes unpacked(Artifacts::Use use) {
  return [use = std::move(use)](io::Reader& bytes, ByteCount /*size*/) -> Status {
    io::GzipReader text(bytes);
    return use(text);
  };
}

// What a server says about an error is shown, as far as anybody wants to read it.
std::string beginning_of(io::Reader& body) {
  constexpr std::size_t kMost = 300;
  std::string text(kMost, '\0');
  const auto got = body.read(std::span(text.data(), text.size()));
  text.resize(got.value_or(0));
  return terminal::printable(trim(text));
}

}  // namespace

void add_artifact_flags(const Command& command, ArtifactFlags& flags) {
  command.flag("--insecure-skip-tls-verify", flags.insecure_skip_tls_verify,
               "Do not check whose bucket it is: anyone in between could read and change what is fetched");
  command.flag("--cacert", flags.ca_file,
               "Authorities to trust when files are fetched (those of the client configuration, or the location's)");
}

Result<Artifacts::Place> Artifacts::place_of(DownloadTarget target, const std::string& name,
                                             SteadyTime deadline) const {
  const kube::Resource requests(client_, api::kDownloadRequest.resource(), name_space_);
  const std::string request_name = name + "-" + uuid4(system_random());
  const Json wanted = {{"apiVersion", api::kDownloadRequest.api_version()},
                       {"kind", std::string(api::kDownloadRequest.name)},
                       {"metadata", {{"name", request_name}, {"namespace", name_space_}}},
                       {"spec", {{"target", {{"kind", std::string(api::to_string(target))}, {"name", name}}}}}};
  TRY_ASSIGN(Json request, "ask the server for the file", requests.create(wanted, context_.stop));
  Duration pause = kFirstLook;
  while (api::status_text(request, api::field::kDownloadUrl).empty()) {
    if (context_.clock.now() >= deadline) {
      return fail(Code::kTimeout,
                  "the server has named no address for the file in time: see its log; it may not be running, or not "
                  "reach the bucket");
    }
    if (!context_.clock.sleep_for(pause, context_.stop)) return fail(Code::kCancelled, "stopped");
    pause = std::min(pause * 2, kBetweenLooks);
    TRY_ASSIGN(request, "ask the server for the file", requests.get(request_name, context_.stop));
  }
  Place place{.url = api::status_text(request, api::field::kDownloadUrl), .route = api::artifact_route_of(request)};
  const bool needs_ca = place.url.starts_with("https:") && flags_.ca_file.empty() && !flags_.insecure_skip_tls_verify;
  if (needs_ca) place.ca = authority_of(target, name);
  return place;
}

std::string Artifacts::authority_of(DownloadTarget target, const std::string& name) const {
  const auto get = [&](const api::Kind& kind, const std::string& object) {
    return kube::Resource(client_, kind.resource(), name_space_).get(object, context_.stop).value_or(Json());
  };
  std::string backup = name;
  if (api::to_string(target).starts_with("Restore")) {
    backup = json::string_or(get(api::kRestore, name), {"spec", "backupName"}, "");
  }
  if (backup.empty()) return "";
  const std::string place = json::string_or(get(api::kBackup, backup), {"spec", "storageLocation"}, "");
  if (place.empty()) return "";
  const Json location = get(api::kBackupStorageLocation, place);
  std::string encoded = json::string_or(location, {"spec", "objectStorage", "caCert"}, "");
  if (const std::string secret = json::string_or(location, {"spec", "objectStorage", "caCertRef", "name"}, "");
      !secret.empty()) {
    const std::string key = json::string_or(location, {"spec", "objectStorage", "caCertRef", "key"}, "");
    const auto found = kube::Resource(client_, {"", "v1", "secrets"}, name_space_).get(secret, context_.stop);
    if (found) encoded = json::string_or(*found, {"data", key}, "");
  }
  return base64_decode(encoded).value_or("");
}

Result<std::unique_ptr<io::HttpDownload>> Artifacts::open_directly(const Place& place, const Terms& terms) const {
  const auto url = io::parse_url(place.url);
  if (!url) return fail(Code::kUnavailable, "the address that the server named: " + url.error().message());
  const std::string host = io::authority(*url);
  if (const auto known = unreachable_.with([&](auto& hosts) -> std::optional<Error> {
        const auto found = hosts.find(host);
        return found == hosts.end() ? std::nullopt : std::optional(found->second);
      })) {
    return tl::unexpected(*known);
  }
  io::HttpClientOptions options{.environment = context_.environment};
  TRY_ASSIGN(options.proxy, "", io::HttpProxy::from_environment(context_.environment));
  options.tls.ca_pem = place.ca;
  options.tls.ca_file = flags_.ca_file;
  if (options.tls.ca_file.empty()) {
    const auto config = ClientConfig::load(context_.environment);
    if (config) options.tls.ca_file = config->get_or("cacert", "");
  }
  options.tls.skip_verification = flags_.insecure_skip_tls_verify;
  const auto created = io::HttpClient::create(std::move(options), context_.clock);
  // Not kNotFound: it is not the artifact that is missing.
  if (!created) return fail(Code::kInvalid, "--cacert: " + created.error().message());
  const auto& http = *created;
  // With another way left nobody waits long for one that connects and then says nothing.
  const SteadyTime head_deadline =
      place.route ? std::min(terms.deadline, context_.clock.after(kHeadPatience)) : terms.deadline;
  auto download = http->open({.url = place.url + (terms.follows ? "&follow=true" : ""),
                              .head_deadline = head_deadline,
                              .connect_timeout = kConnect,
                              .idle_timeout = terms.idle},
                             context_.stop);
  if (!download) {
    if (download.error().code() != Code::kCancelled) {
      unreachable_.with([&](auto& hosts) { hosts.emplace(host, Error(download.error())); });
    }
    return tl::unexpected<Error>(download.error());
  }
  const int status = (*download)->head().status;
  if (status == kOk) return *std::move(download);
  if (status == kNotThere) return fail(Code::kNotFound, "there is no such file");
  return fail(Code::kInternal, fmt::format("{} says {}: {}", host, status, beginning_of(**download)));
}

Result<std::unique_ptr<io::HttpDownload>> Artifacts::open(const Place& place, const Terms& terms) const {
  auto direct = open_directly(place, terms);
  if (direct || direct.error().code() == Code::kNotFound || direct.error().code() == Code::kCancelled) return direct;
  const Error& reason = direct.error();
  // What is wrong with a flag or the settings is not mended by another way.
  if (reason.code() == Code::kInvalid) return direct;
  std::string mended = "run this where that address can be reached";
  if (reason.code() == Code::kUnauthenticated) {
    mended = "name its authority with --cacert (or --insecure-skip-tls-verify, without a check)";
  }
  // It was reached, and has said what is wrong.
  if (reason.code() == Code::kInternal) mended = "see the log of the server, and whether the location is available";
  if (!place.route) {
    return fail(Code::kUnavailable,
                fmt::format("fetch the file: {}; the server names no way through the API server (Landfall's does, in a "
                            "pod): {}",
                            reason.message(), mended));
  }
  const ArtifactProxy proxy(client_, name_space_, context_);
  auto other = proxy.open(*place.route, {.follows = terms.follows,
                                         .head_deadline = std::max(terms.deadline, context_.clock.after(kHeadPatience)),
                                         .idle = terms.idle});
  if (other || other.error().code() == Code::kNotFound || other.error().code() == Code::kCancelled) return other;
  return fail(Code::kUnavailable, fmt::format("fetch the file: {}; through the API server: {}: {}", reason.message(),
                                              other.error().message(), mended));
}

Status Artifacts::fetch(const Place& place, const Terms& terms, const UseBytes& use) const {
  TRY_ASSIGN(const auto download, "", open(place, terms));
  const auto length = download->head().headers.get("content-length");
  return use(*download, ByteCount(length ? parse_int64(*length).value_or(0) : 0));
}

Status Artifacts::read_raw(DownloadTarget target, const std::string& name, Duration patience,
                           const UseBytes& use) const {
  const SteadyTime deadline = context_.clock.after(patience);
  TRY_ASSIGN(const Place place, "", place_of(target, name, deadline));
  return fetch(place, {.deadline = deadline, .idle = kSilence}, use);
}

Status Artifacts::read(DownloadTarget target, const std::string& name, Duration patience, const Use& use) const {
  return read_raw(target, name, patience, unpacked(use));
}

Result<std::optional<Json>> Artifacts::document(DownloadTarget target, const std::string& name) const {
  std::optional<Json> document;
  const Status done = read_raw(target, name, kDocumentPatience, [&](io::Reader& bytes, ByteCount /*size*/) -> Status {
    // The volume information of a restore is kept uncompressed, too, by some.
    TRY_ASSIGN(document, "", bucket::decode_any(bytes));
    return {};
  });
  if (!done && done.error().code() == Code::kNotFound) return std::optional<Json>();
  if (!done) return fail("", done.error());
  return document;
}

Status Artifacts::follow(DownloadTarget target, const std::string& name, Duration patience, io::Writer& to) const {
  const SteadyTime deadline = context_.clock.after(patience);
  TRY_ASSIGN(const Place place, "", place_of(target, name, deadline));
  const Use print = [&](io::Reader& text) -> Status {
    TRY("", io::copy(text, to));
    return {};
  };
  if (!is_of_endpoint(place.url)) {
    return fetch(place, {.deadline = deadline, .idle = kSilence}, unpacked(print));
  }
  // A restore may be silent for as long as a hook takes.
  return fetch(place, {.follows = true, .deadline = deadline, .idle = Duration::max()},
               [&](io::Reader& text, ByteCount /*size*/) { return print(text); });
}

}  // namespace landfall::cli
