#include "sandbox/service_addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

const k8s::GroupResource& services() {
  static const k8s::GroupResource kServices{"", "services"};
  return kServices;
}

constexpr std::uint32_t kNetwork = (10U << 24U) | (96U << 16U);
constexpr std::uint32_t kNetworkSize = 1U << 16U;
constexpr int kFirstPort = 30000;
constexpr int kLastPort = 32767;

std::optional<std::uint32_t> parse_address(const std::string& text) {
  in_addr parsed{};
  if (::inet_pton(AF_INET, text.c_str(), &parsed) != 1) return std::nullopt;
  return ntohl(parsed.s_addr);
}

std::string print_address(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24U, (address >> 16U) & 255U, (address >> 8U) & 255U, address & 255U);
}

bool has_node_ports(const Json& spec) {
  const std::string type = json::string_or(spec, {"type"}, "ClusterIP");
  if (type == "NodePort") return true;
  return type == "LoadBalancer" && json::bool_or(spec, {"allocateLoadBalancerNodePorts"}, true);
}

}  // namespace

ServiceAddresses::Held ServiceAddresses::held_by(const Json& service) {
  Held out;
  const Json* spec = json::find(service, {"spec"});
  if (spec == nullptr) return out;
  if (const auto address = parse_address(json::string_or(*spec, {"clusterIP"}, ""))) out.addresses.push_back(*address);
  if (const Json* ports = json::find(*spec, {"ports"}); ports != nullptr && ports->is_array()) {
    for (const Json& port : *ports) {
      const auto number = json::int_or(port, {"nodePort"}, 0);
      if (number > 0 && number <= 65535) out.ports.push_back(static_cast<int>(number));
    }
  }
  if (const auto health = json::int_or(*spec, {"healthCheckNodePort"}, 0); health > 0 && health <= 65535) {
    out.ports.push_back(static_cast<int>(health));
  }
  return out;
}

// One service's claims.
class ServiceAddresses::Claim {
 public:
  Claim(State& state, std::string key, Random& random) : state_(state), key_(std::move(key)), random_(random) {}

  Causes causes;

  void cluster_ip(Json& spec) {
    std::string wanted = json::string_or(spec, {"clusterIP"}, "");
    if (wanted == "None") {
      spec["clusterIPs"] = Json::array({"None"});
      return;
    }
    std::optional<std::uint32_t> address;
    if (wanted.empty()) {
      address = free_address();
      if (!address) {
        causes.push_back(
            invalid_cause("spec.clusterIPs", Json::array(), "failed to allocate a serviceIP: range is full"));
        return;
      }
      wanted = print_address(*address);
    } else {
      address = parse_address(wanted);
      if (!address) return;  // validation speaks about it
      if ((*address & ~(kNetworkSize - 1)) != kNetwork) {
        refuse_address(wanted, "the provided network does not match the current range");
        return;
      }
      const auto owner = state_.addresses.find(*address);
      if (owner != state_.addresses.end() && owner->second != key_) {
        refuse_address(wanted, "provided IP is already allocated");
        return;
      }
    }
    take(*address);
    spec["clusterIP"] = wanted;
    spec["clusterIPs"] = Json::array({wanted});
  }

  void node_ports(Json& spec) {
    Json* ports = json::find(spec, {"ports"});
    if (ports == nullptr || !ports->is_array()) return;
    for (std::size_t i = 0; i < ports->size(); ++i) {
      Json& port = (*ports)[i];
      if (!port.is_object()) continue;
      const auto wanted = json::int_or(port, {"nodePort"}, 0);
      if (wanted == 0) {
        if (const auto number = free_port()) {
          take_port(*number);
          port["nodePort"] = *number;
        }
        continue;
      }
      claim_port(fmt::format("spec.ports[{}].nodePort", i), wanted);
    }
  }

 private:
  void take(std::uint32_t address) {
    if (state_.addresses.emplace(address, key_).second) state_.by_key[key_].addresses.push_back(address);
  }
  void take_port(int port) {
    if (state_.ports.emplace(port, key_).second) state_.by_key[key_].ports.push_back(port);
  }

  void refuse_address(const std::string& wanted, const std::string& why) {
    causes.push_back(invalid_cause("spec.clusterIPs", Json::array({wanted}),
                                   fmt::format("failed to allocate IP {}: {}", wanted, why)));
  }

  void claim_port(const std::string& field, std::int64_t wanted) {
    if (wanted < kFirstPort || wanted > kLastPort) {
      causes.push_back(invalid_cause(
          field, Json(wanted), "provided port is not in the valid range. The range of valid ports is 30000-32767"));
      return;
    }
    const auto owner = state_.ports.find(static_cast<int>(wanted));
    if (owner != state_.ports.end() && owner->second != key_) {
      causes.push_back(invalid_cause(field, Json(wanted), "provided port is already allocated"));
      return;
    }
    take_port(static_cast<int>(wanted));
  }

  std::optional<std::uint32_t> free_address() {
    // The first and last addresses of a network are not for hosts; .1 is the API server's.
    const std::uint32_t start = static_cast<std::uint32_t>(random_.uniform(kNetworkSize));
    for (std::uint32_t i = 0; i < kNetworkSize; ++i) {
      const std::uint32_t offset = (start + i) % kNetworkSize;
      if (offset < 2 || offset == kNetworkSize - 1) continue;
      if (!state_.addresses.contains(kNetwork + offset)) return kNetwork + offset;
    }
    return std::nullopt;
  }

  std::optional<int> free_port() {
    const int count = kLastPort - kFirstPort + 1;
    const int start = static_cast<int>(random_.uniform(static_cast<std::uint64_t>(count)));
    for (int i = 0; i < count; ++i) {
      const int port = kFirstPort + (start + i) % count;
      if (!state_.ports.contains(port)) return port;
    }
    causes.push_back(invalid_cause("spec.ports", Json::array(), "failed to allocate a nodePort: range is full"));
    return std::nullopt;
  }

  State& state_;
  const std::string key_;
  Random& random_;
};

ServiceAddresses::ServiceAddresses(Store& store, Random& random) : store_(store), random_(random) {
  store_.on_change([this](const k8s::GroupResource& resource, const Change& change) {
    if (resource == services()) follow(change);
  });
}

Causes ServiceAddresses::allocate(Json& service, const Json* old, bool dry_run) {
  const k8s::ObjectView view(service);
  const std::string key = object_key(view.name_space(), view.name());
  Json* spec = json::find(service, {"spec"});
  if (spec == nullptr || !spec->is_object()) return {};
  if (json::string_or(*spec, {"type"}, "") == "ExternalName") return {};
  if (old != nullptr && json::string_or(*spec, {"clusterIP"}, "").empty()) {
    const std::string had = json::string_or(*old, {"spec", "clusterIP"}, "");
    if (!had.empty()) (*spec)["clusterIP"] = had;
  }
  // Without a selector a headless service is for whoever writes its endpoints: any family will do.
  const bool any_family = json::string_or(*spec, {"clusterIP"}, "") == "None" && !json::has(*spec, {"selector"});
  if (!spec->contains("ipFamilyPolicy")) (*spec)["ipFamilyPolicy"] = any_family ? "RequireDualStack" : "SingleStack";
  if (!spec->contains("ipFamilies")) {
    (*spec)["ipFamilies"] = Json::array({"IPv4"});
    if (any_family) (*spec)["ipFamilies"].push_back("IPv6");
  }
  // Trying changes the state only by what is claimed, so a refusal gives that back.
  Causes causes = state_.with([&](State& state) {
    Claim claim(state, key, random_);
    claim.cluster_ip(*spec);
    if (has_node_ports(*spec)) claim.node_ports(*spec);
    return claim.causes;
  });
  if (!causes.empty() || dry_run) settle(key);
  return causes;
}

void ServiceAddresses::settle(const std::string& key) {
  const auto slash = key.find('/');
  const ObjectPtr now = store_.get(services(), key.substr(0, slash), key.substr(slash + 1));
  if (!now) return settle_on(key, nullptr);
  const Json service = json::parse(now->bytes).value_or(Json::object());
  settle_on(key, &service);
}

void ServiceAddresses::follow(const Change& change) {
  if (change.type == ChangeType::kDeleted) return settle_on(change.object->key, nullptr);
  const Json service = json::parse(change.object->bytes).value_or(Json::object());
  settle_on(change.object->key, &service);
}

void ServiceAddresses::settle_on(const std::string& key, const Json* service) {
  Held held = service == nullptr ? Held{} : held_by(*service);
  state_.with([&](State& state) {
    if (const auto had = state.by_key.find(key); had != state.by_key.end()) {
      for (const std::uint32_t address : had->second.addresses) state.addresses.erase(address);
      for (const int port : had->second.ports) state.ports.erase(port);
      state.by_key.erase(had);
    }
    if (service == nullptr) return;
    for (const std::uint32_t address : held.addresses) state.addresses[address] = key;
    for (const int port : held.ports) state.ports[port] = key;
    state.by_key[key] = std::move(held);
  });
}

}  // namespace landfall::sandbox
