#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "io/http_client.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/server.h"

namespace landfall::sandbox::testing {

struct Reply {
  int status = 0;
  json::Json body;  // null when it is no JSON
  std::string text;
  io::HttpHeaders headers;
};

// A sandbox of its own and a client that speaks to it over TLS.
class TestSandbox {
 public:
  explicit TestSandbox(SandboxOptions options = {})
      : random(11), sandbox(std::move(Sandbox::start(options, system_clock(), random, Logger()).value())) {
    io::HttpClientOptions client;
    client.tls.ca_pem = sandbox->ca_pem();
    http = std::move(io::HttpClient::create(client).value());
  }

  Reply call(const std::string& method, const std::string& path, const std::string& body = "",
             const std::string& type = "application/json", const std::string& accept = "application/json") {
    io::HttpRequest request{.method = method, .url = sandbox->url() + path};
    request.headers = {{"Authorization", "Bearer " + token.value_or(sandbox->token())}, {"Accept", accept}};
    if (!body.empty()) {
      request.body = io::HttpBody::view(body);
      request.headers.add("Content-Type", type);
    }
    request.deadline = system_clock().after(std::chrono::seconds(60));
    auto response = http->send(request, {});
    if (!response) {
      ADD_FAILURE() << method << " " << path;
      return {};
    }
    Reply reply{.status = response->status, .text = response->body, .headers = response->headers};
    if (auto parsed = json::parse(reply.text)) reply.body = *std::move(parsed);
    return reply;
  }
  Reply get(const std::string& path) { return call("GET", path); }
  Reply post(const std::string& path, const std::string& body) { return call("POST", path, body); }
  Reply merge(const std::string& path, const std::string& body) {
    return call("PATCH", path, body, "application/merge-patch+json");
  }

  SeededRandom random;
  std::unique_ptr<Sandbox> sandbox;
  std::unique_ptr<io::HttpClient> http;
  std::optional<std::string> token;  // in place of the administrator's
};

}  // namespace landfall::sandbox::testing
