#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/url.h"
#include "s3/config.h"

namespace landfall::s3 {

// Where a bucket and its objects are: hosts and paths, by region. Immutable. Thread-safe.
class Endpoint {
 public:
  static Result<Endpoint> create(const S3Config& config);

  // True when nothing tells the region: no config, not the name of an AWS host, nor a server for which any will do.
  bool needs_region() const { return known_region_.empty(); }
  // The region that the config or the address names; "" when needs_region().
  const std::string& known_region() const { return known_region_; }

  // The address of an object, or of the bucket itself for "". The path is percent-encoded once.
  io::Url object(std::string_view key, std::string_view region) const;
  // The same by the address for the public.
  io::Url public_object(std::string_view key, std::string_view region) const;

  // The region that a redirect of AWS points to, "" when it is none that we know. Only the region is taken from it,
  // never the host: our signature is not for strangers.
  std::string region_of_redirect(const io::Url& to) const;
  // True when another region is another host.
  bool is_aws() const { return is_aws_; }

  // A multi-region access point: its region is kAllRegions.
  bool is_multi_region() const;

 private:
  Endpoint() = default;
  io::Url address(const io::Url& host, std::string_view key) const;
  io::Url aws_host(std::string_view region) const;

  std::string bucket_;
  std::string access_point_;     // what its host begins with; "" for a bucket
  std::optional<io::Url> host_;  // none: AWS by region
  std::optional<io::Url> public_;
  std::string known_region_;
  bool force_path_style_ = false;
  bool is_aws_ = false;
};

// "amazonaws.com", or the domain of the partition that the region is in.
std::string_view aws_domain(std::string_view region);
// Whether it looks like one of AWS's regions, "eu-west-1"; servers of other makers call theirs "minio" or "garage".
bool is_aws_region(std::string_view name);
// Whether a region that a server told may become a part of a host name.
bool is_region_name(std::string_view region);

}  // namespace landfall::s3
