#include "progress/progress.h"

#include <array>
#include <cstddef>

namespace landfall::progress {
namespace {

constexpr std::array<std::string_view, 5> kOutcomes = {"created", "updated", "unchanged", "skipped", "failed"};
constexpr std::array<std::string_view, 8> kItemSteps = {"Collecting",   "BackingUpItems", "BackingUpVolumes",
                                                        "Uploading",    "RestoringItems", "RestoringVolumes",
                                                        "RunningHooks", "Finalizing"};
constexpr std::array<std::string_view, 3> kByteSteps = {"Scanning", "Transferring", "Finishing"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names.at(i) == name) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Outcome outcome) { return kOutcomes.at(static_cast<std::size_t>(outcome)); }
std::string_view to_string(ItemStep step) { return kItemSteps.at(static_cast<std::size_t>(step)); }
std::string_view to_string(ByteStep step) { return kByteSteps.at(static_cast<std::size_t>(step)); }

std::optional<ItemStep> parse_item_step(std::string_view name) { return parse<ItemStep>(kItemSteps, name); }
std::optional<ByteStep> parse_byte_step(std::string_view name) { return parse<ByteStep>(kByteSteps, name); }

std::int64_t& OutcomeCounts::operator[](Outcome outcome) {
  switch (outcome) {
    case Outcome::kCreated:
      return created;
    case Outcome::kUpdated:
      return updated;
    case Outcome::kUnchanged:
      return unchanged;
    case Outcome::kSkipped:
      return skipped;
    case Outcome::kFailed:
      break;
  }
  return failed;
}

}  // namespace landfall::progress
