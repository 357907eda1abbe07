#include "s3/endpoint.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "s3/sigv4.h"

namespace landfall::s3 {
namespace {

constexpr std::string_view kFallbackRegion = "us-east-1";
constexpr std::string_view kArn = "arn:aws:s3:";

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_aws_host(std::string_view host) {
  return std::ranges::any_of(
      std::array<std::string_view, 4>{".amazonaws.com", ".amazonaws.com.cn", ".c2s.ic.gov", ".sc2s.sgov.gov"},
      [&](std::string_view suffix) { return host.ends_with(suffix); });
}

// "eu-west-1" of "s3.eu-west-1.amazonaws.com" and "s3-eu-west-1.amazonaws.com"; "" when there is none in it.
std::string region_in(std::string_view host) {
  for (const std::string_view label : split(host, '.')) {
    const std::string_view name = strip_prefix(label, "s3-").value_or(label);
    if (is_aws_region(name)) {
      return std::string(name);
    }
  }
  return "";
}

bool is_ip_address(std::string_view host) {
  return contains(host, ":") || std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// What may stand in front of a host name.
bool is_dns_name(std::string_view bucket) {
  return bucket.size() >= 3 && bucket.size() <= 63 && is_lower_or_digit(bucket.front()) &&
         is_lower_or_digit(bucket.back()) &&
         std::ranges::all_of(bucket, [](char c) { return is_lower_or_digit(c) || c == '-' || c == '.'; });
}

// A certificate for *.host covers one label only; addresses and names without a dot have nothing below them.
bool can_be_in_host(std::string_view bucket, const io::Url& host) {
  const bool dots_hurt = host.scheme == "https" && contains(bucket, ".");
  return is_dns_name(bucket) && !dots_hurt && !is_ip_address(host.host) && contains(host.host, ".");
}

struct AccessPoint {
  std::string region;
  std::string host_label;
};

// arn:aws:s3:REGION:ACCOUNT:accesspoint/NAME, or arn:aws:s3::ACCOUNT:accesspoint/ALIAS.mrap for all regions.
Result<AccessPoint> parse_access_point(std::string_view arn) {
  const std::vector<std::string_view> fields = split(arn, ':');
  const auto name = fields.size() == 6 ? strip_prefix(fields[5], "accesspoint/") : std::nullopt;
  const bool is_account =
      name && !fields[4].empty() && std::ranges::all_of(fields[4], [](char c) { return c >= '0' && c <= '9'; });
  if (is_account && is_dns_name(*name)) {
    if (fields[3].empty() && name->ends_with(".mrap")) {
      return AccessPoint{.region = std::string(kAllRegions), .host_label = std::string(*name)};
    }
    if (is_region_name(fields[3]) && !contains(*name, ".")) {
      return AccessPoint{.region = std::string(fields[3]),
                         .host_label = std::string(*name) + "-" + std::string(fields[4])};
    }
  }
  return fail(
      Code::kInvalid,
      "bucket: expected arn:aws:s3:REGION:ACCOUNT:accesspoint/NAME or arn:aws:s3::ACCOUNT:accesspoint/ALIAS.mrap");
}

}  // namespace

// AWS's partitions have domains of their own.
std::string_view aws_domain(std::string_view region) {
  struct Partition {
    std::string_view regions;
    std::string_view suffix;
  };
  static constexpr std::array kPartitions{Partition{"cn-", "amazonaws.com.cn"}, Partition{"us-isob-", "sc2s.sgov.gov"},
                                          Partition{"us-iso-", "c2s.ic.gov"}};
  for (const Partition& partition : kPartitions) {
    if (region.starts_with(partition.regions)) {
      return partition.suffix;
    }
  }
  return "amazonaws.com";
}

bool is_region_name(std::string_view region) {
  return !region.empty() && region.size() <= 40 &&
         std::ranges::all_of(region, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_aws_region(std::string_view name) {
  const std::vector<std::string_view> parts = split(name, '-');
  return is_region_name(name) && parts.size() >= 3 && parts.front().size() == 2 && parse_uint64(parts.back());
}

Result<Endpoint> Endpoint::create(const S3Config& config) {
  Endpoint out;
  out.bucket_ = config.bucket;
  out.host_ = config.endpoint;
  out.public_ = config.public_url;
  out.known_region_ = config.region;
  out.force_path_style_ = config.force_path_style;
  out.is_aws_ = !config.endpoint || is_aws_host(config.endpoint->host);
  if (config.bucket.starts_with(kArn)) {
    TRY_ASSIGN(const AccessPoint point, "config", parse_access_point(config.bucket));
    out.known_region_ = point.region;
    out.access_point_ = point.host_label;
    return out;
  }
  if (!config.endpoint && !config.region.empty() && !is_region_name(config.region)) {
    return fail(Code::kInvalid, "config: region: " + quote(config.region) + " is not the name of a region of AWS");
  }
  if (out.known_region_.empty() && config.endpoint) {
    const std::string in_host = out.is_aws_ ? region_in(config.endpoint->host) : "";
    out.known_region_ = in_host.empty() ? kFallbackRegion : in_host;
  }
  return out;
}

io::Url Endpoint::aws_host(std::string_view region) const {
  io::Url url;
  url.scheme = "https";
  if (is_multi_region()) {
    url.host = "accesspoint.s3-global.amazonaws.com";
    return url;
  }
  const std::string service = access_point_.empty() ? "s3" : "s3-accesspoint";
  url.host = service + "." + std::string(region) + "." + std::string(aws_domain(region));
  return url;
}

bool Endpoint::is_multi_region() const { return known_region_ == kAllRegions; }

io::Url Endpoint::address(const io::Url& host, std::string_view key) const {
  io::Url url = host;
  const std::string encoded_key = io::percent_encode_path(key);
  if (!access_point_.empty()) {
    url.host = access_point_ + "." + url.host;
    url.path = "/" + encoded_key;
    return url;
  }
  std::string base = url.path;
  while (base.ends_with('/')) {
    base.pop_back();
  }
  if (!force_path_style_ && can_be_in_host(bucket_, host)) {
    url.host = bucket_ + "." + url.host;
    url.path = base + "/" + encoded_key;
  } else {
    url.path = base + "/" + io::percent_encode(bucket_) + (key.empty() ? "" : "/" + encoded_key);
  }
  return url;
}

io::Url Endpoint::object(std::string_view key, std::string_view region) const {
  // An address of AWS that names a region is one of several: the bucket may turn out to be elsewhere.
  const bool by_region = !host_ || (is_aws_ && region != known_region_);
  return address(by_region ? aws_host(region) : *host_, key);
}

io::Url Endpoint::public_object(std::string_view key, std::string_view region) const {
  return public_ ? address(*public_, key) : object(key, region);
}

std::string Endpoint::region_of_redirect(const io::Url& to) const {
  return is_aws_ && is_aws_host(to.host) ? region_in(to.host) : "";
}

}  // namespace landfall::s3
