#include "server/endpoints.h"

#include <utility>

#include "http/response.h"
#include "server/listen_address.h"

namespace landfall::server {

std::vector<http::Route> health_routes(const Readiness& readiness, const metrics::Metrics& metrics) {
  constexpr int kOk = 200;
  constexpr int kUnavailable = 503;
  return {
      {.method = "GET",
       .pattern = "/healthz",
       .handler = [](const http::Request&,
                     const std::shared_ptr<http::Responder>& responder) { responder->send(http::text(kOk, "ok\n")); }},
      {.method = "GET",
       .pattern = "/readyz",
       .handler =
           [&readiness](const http::Request&, const std::shared_ptr<http::Responder>& responder) {
             const Readiness::Verdict verdict = readiness.verdict();
             responder->send(http::text(verdict.is_ready ? kOk : kUnavailable, verdict.why + "\n"));
           }},
      {.method = "GET",
       .pattern = "/metrics",
       .handler =
           [&metrics](const http::Request&, const std::shared_ptr<http::Responder>& responder) {
             responder->send(http::bytes(metrics.text(), "text/plain; version=0.0.4; charset=utf-8"));
           }},
  };
}

Result<std::unique_ptr<http::Server>> serve(const std::string& name, const std::string& address,
                                            std::vector<http::Route> routes, Clock& clock, const Logger& log) {
  TRY_ASSIGN(const ListenAddress where, "", parse_listen_address(address));
  TRY_ASSIGN(const http::Router router, "", http::Router::make(std::move(routes)));
  http::ServerOptions options{.name = name, .address = where.host, .port = where.port};
  options.admit = [router, most = options.limits.body_bytes](const http::Request& head) {
    return http::Admission{.body_bytes = router.body_bytes(head, most)};
  };
  auto server = std::make_unique<http::Server>(std::move(options), router, clock, log);
  TRY("", server->start());
  return server;
}

}  // namespace landfall::server
