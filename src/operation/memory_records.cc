#include "operation/memory_records.h"

#include "base/quote.h"

namespace landfall::operation {

Result<std::vector<std::string>> MemoryRecords::list(const std::stop_token& /*stop*/) {
  return records_.with([](const auto& records) {
    std::vector<std::string> names;
    names.reserve(records.size());
    for (const auto& [name, bytes] : records) names.push_back(name);
    return names;
  });
}

Result<std::string> MemoryRecords::get(const std::string& name, const std::stop_token& /*stop*/) {
  return records_.with([&](const auto& records) -> Result<std::string> {
    const auto found = records.find(name);
    if (found == records.end()) return fail(Code::kNotFound, "there is no record " + quote(name));
    return found->second;
  });
}

Status MemoryRecords::put(const std::string& name, std::string_view bytes, const std::stop_token& /*stop*/) {
  records_.with([&](auto& records) { records.insert_or_assign(name, std::string(bytes)); });
  return {};
}

Status MemoryRecords::remove(const std::string& name, const std::stop_token& /*stop*/) {
  records_.with([&](auto& records) { records.erase(name); });
  return {};
}

}  // namespace landfall::operation
