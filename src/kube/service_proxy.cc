#include "kube/service_proxy.h"

#include <utility>

#include "base/strings.h"
#include "k8s/names.h"
#include "k8s/rest_path.h"

namespace landfall::kube {
namespace {

constexpr std::uint64_t kLastPort = 65535;

Status check(std::string_view what, const std::string& value, const k8s::Problems& problems) {
  if (!problems.empty()) {
    return fail(Code::kInvalid, "proxy: " + std::string(what) + " " + quote(value) + ": " + k8s::joined(problems));
  }
  return {};
}

Status check_port(const std::string& port) {
  if (port.empty()) {
    return {};
  }
  if (const auto number = parse_uint64(port)) {
    return *number >= 1 && *number <= kLastPort ? Status()
                                                : fail(Code::kInvalid, "proxy: port " + quote(port) + ": out of range");
  }
  return check("port", port, k8s::port_name_problems(port));
}

Status check_target(const ProxyTarget& target) {
  TRY("", check("namespace", target.name_space, k8s::dns1123_label_problems(target.name_space)));
  const bool is_service = target.kind == ProxyTarget::Kind::kService;
  TRY("", check(is_service ? "service" : "pod", target.name,
                is_service ? k8s::dns1035_label_problems(target.name) : k8s::dns1123_subdomain_problems(target.name)));
  return check_port(target.port);
}

}  // namespace

Result<std::string> proxy_path(const ProxyTarget& target, std::string_view path) {
  TRY("", check_target(target));
  for (const std::string_view part : split(path, '/')) {
    if (part == "." || part == "..") {
      return fail(Code::kInvalid, "proxy: path " + quote(path) + ": has a part " + quote(part));
    }
  }
  // Kubernetes wants the scheme or nothing, then the name, then the port or nothing.
  std::string name = target.uses_tls ? "https:" + target.name : target.name;
  if (target.uses_tls || !target.port.empty()) {
    name += ":" + target.port;
  }
  const bool is_service = target.kind == ProxyTarget::Kind::kService;
  TRY_ASSIGN(std::string whole, "proxy",
             k8s::object_path({.group = "", .version = "v1", .resource = is_service ? "services" : "pods"},
                              target.name_space, name, "proxy"));
  whole += path.starts_with('/') ? "" : "/";
  return whole + k8s::escape_path(path);
}

Result<Answer> call_through_proxy(Client& client, const ProxyTarget& target, Call call, const std::stop_token& stop) {
  TRY_ASSIGN(call.path, "", proxy_path(target, call.path));
  return client.call(call, stop);
}

Status stream_through_proxy(Client& client, const ProxyTarget& target, Call call, Duration idle,
                            const std::function<Result<bool>(std::string_view)>& on_bytes,
                            const std::stop_token& stop) {
  TRY_ASSIGN(call.path, "", proxy_path(target, call.path));
  return client.stream(call, idle, on_bytes, stop);
}

}  // namespace landfall::kube
