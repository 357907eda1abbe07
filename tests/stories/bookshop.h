#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"
#include "k8s/object_ref.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::stories {

// The application that real Velero backed up for tests/data: two namespaces with a bit of everything, and books.
//
// Its namespaces and cluster-scoped objects have fixed names. All functions throw std::runtime_error with what went
// wrong.
class Bookshop {
 public:
  // The folder is that of the sources. The client must outlive it.
  Bookshop(kube::Client& client, const std::filesystem::path& sources);

  // Creates every object of the files, definitions first, as `kubectl create` does.
  void open();
  // Waits until the workloads have made what they make: pods, claims, revisions.
  void await_workloads();
  // Takes the objects away one by one, with what others have put into the namespaces, then the namespaces; works
  // without a namespace controller, and on what an earlier run has left.
  void close();

  // Whether an object is part of it: in one of its namespaces, or one of its own on cluster scope.
  static bool owns(const k8s::ObjectRef& object);

 private:
  void create(const json::Json& object);
  const kube::ApiResource* resource_of(const json::Json& object);
  void refresh();

  kube::Client& client_;
  std::vector<json::Json> documents_;
  std::unique_ptr<kube::Discovery> discovery_;
};

}  // namespace landfall::stories
