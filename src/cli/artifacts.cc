#include "cli/artifacts.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "api/names.h"
#include "api/status.h"
#include "base/encoding.h"
#include "base/random.h"
#include "base/strings.h"
#include "bucket/artifact.h"
#include "cli/client_config.h"
#include "io/gzip_reader.h"
#include "io/http_client.h"
#include "json/access.h"
#include "json/json.h"
#include "kube/resource.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::DownloadTarget;
using json::Json;

namespace {

constexpr Duration kDocumentPatience = std::chrono::seconds(30);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(50);
constexpr Duration kSilence = std::chrono::seconds(60);
constexpr int kOk = 200;
constexpr int kNotThere = 404;

// Landfall's own endpoint; others sign addresses of their own.
bool is_of_endpoint(const std::string& url) { return contains(url, "/artifacts?token="); }

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

Result<std::string> Artifacts::address(DownloadTarget target, const std::string& name, SteadyTime deadline) const {
  const kube::Resource requests(client_, api::kDownloadRequest.resource(), name_space_);
  const std::string request_name = name + "-" + uuid4(system_random());
  const Json wanted = {{"apiVersion", api::kDownloadRequest.api_version()},
                       {"kind", std::string(api::kDownloadRequest.name)},
                       {"metadata", {{"name", request_name}, {"namespace", name_space_}}},
                       {"spec", {{"target", {{"kind", std::string(api::to_string(target))}, {"name", name}}}}}};
  TRY_ASSIGN(Json request, "ask the server for the file", requests.create(wanted, context_.stop));
  while (true) {
    std::string url = api::status_text(request, api::field::kDownloadUrl);
    if (!url.empty()) return url;
    if (context_.clock.now() >= deadline) {
      return fail(Code::kTimeout,
                  "the server has named no address for the file in time: see its log; it may not be running, or not "
                  "reach the bucket");
    }
    if (!context_.clock.sleep_for(kBetweenLooks, context_.stop)) return fail(Code::kCancelled, "stopped");
    TRY_ASSIGN(request, "ask the server for the file", requests.get(request_name, context_.stop));
  }
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

Status Artifacts::fetch(const std::string& url, const std::string& ca, SteadyTime head_deadline, Duration idle,
                        const Use& use) const {
  io::HttpClientOptions options{.environment = context_.environment};
  TRY_ASSIGN(options.proxy, "", io::HttpProxy::from_environment(context_.environment));
  options.tls.ca_pem = ca;
  options.tls.ca_file = flags_.ca_file;
  if (options.tls.ca_file.empty()) {
    const auto config = ClientConfig::load(context_.environment);
    if (config) options.tls.ca_file = config->get_or("cacert", "");
  }
  options.tls.skip_verification = flags_.insecure_skip_tls_verify;
  TRY_ASSIGN(const auto http, "--cacert", io::HttpClient::create(std::move(options), context_.clock));
  TRY_ASSIGN(const auto download, "fetch the file",
             http->open({.url = url, .head_deadline = head_deadline, .idle_timeout = idle}, context_.stop));
  const int status = download->head().status;
  if (status == kOk) return use(*download);
  if (status == kNotThere) return fail(Code::kNotFound, "there is no such file");
  return fail(Code::kUnavailable,
              fmt::format("fetch the file: the server says {}: {}", status, beginning_of(*download)));
}

Status Artifacts::read(DownloadTarget target, const std::string& name, Duration patience, const Use& use) const {
  const SteadyTime deadline = context_.clock.after(patience);
  TRY_ASSIGN(const std::string url, "", address(target, name, deadline));
  const bool needs_ca = url.starts_with("https:") && flags_.ca_file.empty() && !flags_.insecure_skip_tls_verify;
  return fetch(url, needs_ca ? authority_of(target, name) : "", deadline, kSilence, [&](io::Reader& bytes) {
    io::GzipReader text(bytes);
    return use(text);
  });
}

Result<std::optional<Json>> Artifacts::document(DownloadTarget target, const std::string& name) const {
  std::optional<Json> document;
  const Status done = read(target, name, kDocumentPatience, [&](io::Reader& text) -> Status {
    TRY_ASSIGN(const std::string whole, "", io::read_all(text, bucket::kMaxDocument));
    TRY_ASSIGN(document, "", bucket::parse_document(whole));
    return {};
  });
  if (!done && done.error().code() == Code::kNotFound) return std::optional<Json>();
  if (!done) return fail("", done.error());
  return document;
}

Status Artifacts::follow(DownloadTarget target, const std::string& name, Duration patience, io::Writer& to) const {
  const SteadyTime deadline = context_.clock.after(patience);
  TRY_ASSIGN(const std::string url, "", address(target, name, deadline));
  if (!is_of_endpoint(url)) {
    return read(target, name, patience, [&](io::Reader& text) -> Status {
      TRY("", io::copy(text, to));
      return {};
    });
  }
  // A restore may be silent for as long as a hook takes.
  return fetch(url + "&follow=true", "", deadline, Duration::max(), [&](io::Reader& text) -> Status {
    TRY("", io::copy(text, to));
    return {};
  });
}

}  // namespace landfall::cli
