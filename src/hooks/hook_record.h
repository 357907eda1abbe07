#pragma once

#include <map>
#include <string>

namespace landfall::hooks {

// What is known of a hook from an earlier process, by its id: "NAMESPACE/POD/CONTAINER/1-of-3", the number among all
// exec hooks of the pod.
struct HookRecord {
  bool is_over = false;  // begun and not over: it is run again
  std::string error;     // empty: it went well
};

using HookRecords = std::map<std::string, HookRecord>;

}  // namespace landfall::hooks
