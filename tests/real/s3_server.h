#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/random.h"
#include "extension/object_store.h"
#include "real/real_components.h"
#include "s3/s3_store.h"
#include "s3/test_bucket.h"

namespace landfall {

// A bucket of this run's own, made when it is first opened. It stays: every case removes what it has stored.
class S3Server {
 public:
  explicit S3Server(const std::string& variable)
      : config_{{"s3Url", real_component(variable)},
                {"bucket", "landfall-" + name_suffix(system_random(), 8)},
                {"region", "us-east-1"},
                {"s3ForcePathStyle", "true"}},
        environment_({{"AWS_ACCESS_KEY_ID", real_component("LANDFALL_REAL_S3_KEY")},
                      {"AWS_SECRET_ACCESS_KEY", real_component("LANDFALL_REAL_S3_SECRET")}}),
        created_(s3::create_bucket(config_, environment_)) {}

  const std::map<std::string, std::string>& config() const { return config_; }
  const Environment& environment() const { return environment_; }
  Result<std::unique_ptr<extension::ObjectStore>> open() const {
    TRY("", created_);
    return s3::open_s3(config_, environment_, system_clock());
  }

 private:
  const std::map<std::string, std::string> config_;
  const Environment environment_;
  const Status created_;
};

}  // namespace landfall
