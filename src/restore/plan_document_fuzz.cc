#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "restore/plan_document.h"

namespace {

using landfall::restore::Plan;

std::string written(const Plan& plan) {
  landfall::io::StringWriter out;
  if (!landfall::restore::write_plan(plan, out)) __builtin_trap();
  return out.take();
}

}  // namespace

// What is read as a plan is the same plan after it was written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text
  landfall::io::StringReader from(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto plan = landfall::restore::read_plan(from);
  if (!plan) return 0;
  const std::string text = written(*plan);
  landfall::io::StringReader again(text);
  const auto same = landfall::restore::read_plan(again);
  if (!same || !(*same == *plan) || written(*same) != text) __builtin_trap();
  return 0;
}
