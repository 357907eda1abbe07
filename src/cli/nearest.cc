#include "cli/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace landfall::cli {
namespace {

// Letters to insert, remove, change or swap with their neighbour.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> now(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t change = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, change});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        now[j] = std::min(now[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[to.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 256;  // nobody's name; the work grows with the square
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& one : known) {
    const std::size_t difference = one.size() > word.size() ? one.size() - word.size() : word.size() - one.size();
    if (difference >= least) continue;
    // Nobody who wants to uninstall is helped by install.
    if (one == "un" + std::string(word) || word == "un" + one) continue;
    const std::size_t far = distance(word, one);
    if (far < least) {
      least = far;
      best = one;
    }
  }
  return best;
}

}  // namespace landfall::cli
