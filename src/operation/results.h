#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::operation {

// What went wrong in one run, sorted by where: in Velero's words "velero" is the run itself, "cluster" what has no
// namespace. Keeps the first kMaxKept of each place and counts the rest, so that a run in which everything fails does
// not take memory without a bound; the log has them all.
class ResultList {
 public:
  static constexpr std::size_t kMaxKept = 10'000;

  void add_to_run(std::string message) { add(run_, std::move(message)); }
  void add_to_cluster(std::string message) { add(cluster_, std::move(message)); }
  // An empty namespace is the cluster.
  void add_to_namespace(const std::string& name_space, std::string message);

  std::int64_t count() const;
  bool empty() const { return count() == 0; }
  // Adds what another list has.
  void merge(const ResultList& other);

  json::Json to_json() const;
  static Result<ResultList> from_json(const json::Json& document);

 private:
  struct Place {
    std::vector<std::string> kept;
    std::int64_t count = 0;
  };
  static void add(Place& place, std::string message);
  static void merge(Place& place, const Place& other);
  static json::Json texts(const Place& place);
  static Status read(const json::Json& document, std::string_view name, Place& place);

  Place run_;
  Place cluster_;
  std::map<std::string, Place> namespaces_;
};

// The file `NAME-results.gz`: {"errors": {"velero": […], "cluster": […], "namespaces": {"shop": […]}}, "warnings": {}}.
struct Results {
  ResultList errors;
  ResultList warnings;

  json::Json to_json() const;
  static Result<Results> from_json(const json::Json& document);
};

}  // namespace landfall::operation
