#include "sandbox_suite/replay.h"

#include <chrono>
#include <map>
#include <utility>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::sandbox {
namespace {

using json::Json;

class Replayer {
 public:
  Replayer(const std::string& run, const ReplayTarget& target) : target_(target) { values_["run"] = run; }

  Result<Exchange> send(const Json& request) {
    TRY_ASSIGN(const std::string what, "request", json::string_at(request, {"what"}));
    TRY_ASSIGN(const std::string method, what, json::string_at(request, {"method"}));
    TRY_ASSIGN(const std::string path, what, json::string_at(request, {"path"}));
    const std::string query = json::string_or(request, {"query"}, "");
    Exchange exchange{.what = what, .line = method + " " + path + (query.empty() ? "" : "?" + query)};
    TRY_ASSIGN(const std::string url, what, filled(path + (query.empty() ? "" : "?" + query)));
    std::string body;
    if (const Json* content = json::find(request, {"body"})) {
      body = content->is_string() ? content->get<std::string>() : json::dump(*content);
    }
    exchange.sent = exchange.line + "\n" + body;
    TRY_ASSIGN(body, what, filled(body));

    io::HttpRequest http{.method = method, .url = target_.url + url};
    http.headers.add("Authorization", "Bearer " + target_.token);
    http.headers.add("Accept", json::string_or(request, {"accept"}, "application/json"));
    if (request.contains("body")) {
      http.headers.add("Content-Type", json::string_or(request, {"type"}, "application/json"));
      http.body = io::HttpBody::view(body);
    }
    TRY(what, receive(http, json::int_or(request, {"until"}, 0), exchange));
    TRY(what, remember(request, exchange));
    return exchange;
  }

 private:
  // Sends until the status is the one to wait for, if there is one.
  Status receive(io::HttpRequest& request, std::int64_t until, Exchange& exchange) {
    const SteadyTime patience = target_.clock.after(std::chrono::seconds(20));
    for (;;) {
      request.deadline = target_.clock.after(std::chrono::seconds(60));
      auto answer = target_.http.send(request, {});
      if (!answer) return fail(Code::kUnavailable, answer.error().message());
      exchange.status = answer->status;
      exchange.content_type = answer->headers.get("Content-Type").value_or("");
      exchange.warnings.clear();
      for (const auto warning : answer->headers.get_all("Warning")) exchange.warnings.emplace_back(warning);
      exchange.body = std::move(answer->body);
      if (until == 0 || exchange.status == until || target_.clock.now() > patience) return {};
      target_.clock.sleep_for(std::chrono::milliseconds(200), {});
    }
  }

  Status remember(const Json& request, const Exchange& exchange) {
    const Json* names = json::find(request, {"save"});
    if (names == nullptr) return {};
    TRY_ASSIGN(const Json answer, "answer to remember values of", json::parse(exchange.body));
    for (const auto& [name, place] : names->items()) {
      const std::string path = place.get<std::string>();
      const std::vector<std::string_view> keys = split(path, '.');
      const Json* value = json::find(answer, json::Path(keys));
      values_[name] = value == nullptr ? "" : value->is_string() ? value->get<std::string>() : json::dump(*value);
    }
    return {};
  }

  // With ${name} replaced by what is remembered.
  Result<std::string> filled(const std::string& text) const {
    std::string result;
    std::size_t at = 0;
    for (;;) {
      const std::size_t begin = text.find("${", at);
      if (begin == std::string::npos) return result.append(text, at);
      const std::size_t end = text.find('}', begin);
      if (end == std::string::npos) return fail(Code::kInvalid, "${ without its }");
      const auto value = values_.find(text.substr(begin + 2, end - begin - 2));
      if (value == values_.end())
        return fail(Code::kInvalid, "no earlier request saved " + text.substr(begin, end - begin + 1));
      result.append(text, at, begin - at).append(value->second);
      at = end + 1;
    }
  }

  const ReplayTarget& target_;
  std::map<std::string, std::string> values_;
};

}  // namespace

Result<std::vector<Exchange>> replay(std::string_view requests, const std::string& run, const ReplayTarget& target) {
  Replayer replayer(run, target);
  std::vector<Exchange> exchanges;
  std::size_t number = 0;
  for (const std::string_view line : split(requests, '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::string place = "line " + std::to_string(number);
    TRY_ASSIGN(const Json request, place, json::parse(line));
    TRY_ASSIGN(Exchange exchange, place, replayer.send(request));
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

}  // namespace landfall::sandbox
