#pragma once

#include <string_view>

namespace landfall::store {

// The calls of an ObjectStore, for those who count, log or break them.
enum class StoreOperation { kPut, kGet, kExists, kList, kFolders, kRemove, kSign };
inline constexpr int kStoreOperations = 7;

// As log lines and metrics spell it: "put".
std::string_view to_string(StoreOperation operation);

}  // namespace landfall::store
