#include "store/store_operation.h"

namespace landfall::store {

std::string_view to_string(StoreOperation operation) {
  switch (operation) {
    case StoreOperation::kPut:
      return "put";
    case StoreOperation::kGet:
      return "get";
    case StoreOperation::kExists:
      return "exists";
    case StoreOperation::kList:
      return "list";
    case StoreOperation::kFolders:
      return "folders";
    case StoreOperation::kRemove:
      return "remove";
    case StoreOperation::kSign:
      return "sign";
  }
  return "unknown";
}

}  // namespace landfall::store
