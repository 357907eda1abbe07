#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "api/names.h"
#include "base/guarded.h"
#include "kube/resource.h"
#include "stories/stage.h"
#include "testkit/gate.h"

namespace landfall::stories {

// What every client gets to see of the bytes of objects of a kind, from construction to destruction.
class SeenBytes {
 public:
  SeenBytes(const Stage& stage, const api::Kind& kind);
  SeenBytes(const SeenBytes&) = delete;
  SeenBytes& operator=(const SeenBytes&) = delete;
  ~SeenBytes() = default;

  // Of a volume, or of an object that names none and is made of this snapshot: they never fall, come to the total,
  // which is waited for, and were seen in between.
  void expect_rise(const std::string& volume, std::int64_t total) const;

 private:
  const kube::Resource objects_;
  testkit::Gate begun_;
  Guarded<std::map<std::string, std::vector<std::int64_t>>> seen_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace landfall::stories
