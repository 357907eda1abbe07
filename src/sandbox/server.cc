#include "sandbox/server.h"

#include <atomic>
#include <optional>
#include <utility>

#include "base/encoding.h"
#include "http/server.h"
#include "http/worker_pool.h"
#include "json/json.h"
#include "json/yaml.h"
#include "sandbox/certificate.h"
#include "sandbox/frontend.h"
#include "sandbox/watch.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr Duration kStopTime = std::chrono::seconds(5);
// As if there had been a past: a watch from the first revisions is told that they are forgotten.
constexpr std::uint64_t kFirstRevision = 1000;

// What every cluster has from the start.
Status bootstrap(Api& api) {
  const KindSetPtr kinds = api.registry().kinds();
  const KindPtr namespaces = kinds->find("", "v1", "namespaces");
  const KindPtr services = kinds->find("", "v1", "services");
  if (!namespaces || !services) return fail(Code::kInternal, "the table of kinds lacks namespaces or services");
  const WriteOptions options{.manager = "kube-apiserver"};
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    TRY("create namespace", api.create(*namespaces, "", {{"metadata", {{"name", name}}}}, options));
  }
  const Json service = {
      {"metadata", {{"name", "kubernetes"}, {"labels", {{"component", "apiserver"}, {"provider", "kubernetes"}}}}},
      {"spec",
       {{"clusterIP", "10.96.0.1"},
        {"ports", Json::array({{{"name", "https"}, {"port", 443}, {"protocol", "TCP"}, {"targetPort", 6443}}})}}}};
  TRY("create service kubernetes", api.create(*services, "default", service, options));
  return {};
}

}  // namespace

struct Sandbox::Impl {
  Impl(const SandboxOptions& given, Clock& the_clock, Random& random, const Logger& log)
      : options(given),
        clock(the_clock),
        store(the_clock, given.limits),
        api(store, registry, the_clock, random),
        authenticator(given.token, the_clock, random),
        pool(std::make_unique<http::WorkerPool>(
            http::WorkerPool::Options{.name = "sandbox-work", .threads = given.threads, .queue = 1024}, the_clock,
            log)),
        watches(std::make_unique<WatchHub>(store, faults, *pool, the_clock, random)),
        frontend({api, authenticator, faults, *watches, *pool, the_clock}) {}

  const SandboxOptions options;
  Clock& clock;
  Store store;
  Registry registry;
  Api api;
  Authenticator authenticator;
  Faults faults;
  // stop() ends the watches, the server and the workers in this order: each may still need what comes after it.
  std::unique_ptr<http::WorkerPool> pool;
  std::unique_ptr<WatchHub> watches;
  Frontend frontend;
  ServerCertificate certificate;
  std::unique_ptr<http::Server> server;
  std::atomic<bool> stopped{false};
};

Sandbox::Sandbox(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sandbox::~Sandbox() { stop(); }

Result<std::unique_ptr<Sandbox>> Sandbox::prepare(const SandboxOptions& options, Clock& clock, Random& random,
                                                  const Logger& log) {
  auto impl = std::make_unique<Impl>(options, clock, random, log);
  http::ServerOptions server{
      .name = "sandbox", .address = "127.0.0.1", .port = options.port, .threads = options.threads};
  if (options.tls) {
    TRY_ASSIGN(impl->certificate, "start the sandbox", make_server_certificate(clock, random));
    server.tls = http::TlsOptions{.certificate_pem = impl->certificate.certificate, .key_pem = impl->certificate.key};
  }
  impl->store.start_at(kFirstRevision);
  if (options.bootstrap) TRY("start the sandbox", bootstrap(impl->api));
  Impl* raw = impl.get();
  server.admit = [raw](const http::Request& head) { return raw->frontend.admit(head); };
  impl->server = std::make_unique<http::Server>(
      std::move(server),
      [raw](http::Request request, std::shared_ptr<http::Responder> responder) {
        raw->frontend.handle(std::move(request), responder);
      },
      clock, log);
  return std::make_unique<Sandbox>(std::move(impl));
}

Status Sandbox::serve() {
  TRY("start the sandbox", impl_->server->start());
  impl_->frontend.set_address("127.0.0.1:" + std::to_string(port()));
  return {};
}

Result<std::unique_ptr<Sandbox>> Sandbox::start(const SandboxOptions& options, Clock& clock, Random& random,
                                                const Logger& log) {
  TRY_ASSIGN(auto sandbox, "", prepare(options, clock, random, log));
  TRY("", sandbox->serve());
  return sandbox;
}

std::uint16_t Sandbox::port() const { return impl_->server->port(); }
std::string Sandbox::url() const { return impl_->server->url(); }
const std::string& Sandbox::token() const { return impl_->authenticator.token(); }
const std::string& Sandbox::ca_pem() const { return impl_->certificate.ca; }

std::string Sandbox::kubeconfig() const {
  Json cluster = {{"server", url()}};
  if (!ca_pem().empty()) cluster["certificate-authority-data"] = base64_encode(ca_pem());
  const Json config = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "sandbox"},
      {"clusters", Json::array({{{"name", "sandbox"}, {"cluster", cluster}}})},
      {"contexts", Json::array({{{"name", "sandbox"}, {"context", {{"cluster", "sandbox"}, {"user", "sandbox"}}}}})},
      {"users", Json::array({{{"name", "sandbox"}, {"user", {{"token", token()}}}}})}};
  return json::to_yaml(config);
}

Store& Sandbox::store() { return impl_->store; }
Registry& Sandbox::registry() { return impl_->registry; }
Api& Sandbox::api() { return impl_->api; }
Faults& Sandbox::faults() { return impl_->faults; }
const Authenticator& Sandbox::authenticator() const { return impl_->authenticator; }

void Sandbox::stop() {
  if (!impl_ || impl_->stopped.exchange(true)) return;
  impl_->watches->stop();
  impl_->server->stop(impl_->clock.after(kStopTime));
  impl_->pool.reset();
  impl_->watches.reset();
}

}  // namespace landfall::sandbox
