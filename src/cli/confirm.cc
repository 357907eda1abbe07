#include "cli/confirm.h"

#include <span>
#include <string>

#include "base/strings.h"

namespace landfall::cli {
namespace {

// One line without its end; nothing at the end of the input.
Result<bool> read_line(io::Reader& from, std::string& line) {
  constexpr std::size_t kLongest = 4096;
  line.clear();
  while (true) {
    char c = 0;
    TRY_ASSIGN(const std::size_t got, "read the answer", from.read(std::span(&c, 1)));
    if (got == 0) return !line.empty();
    if (c == '\n') return true;
    if (line.size() < kLongest) line.push_back(c);
  }
}

}  // namespace

Result<bool> confirm(const Context& context) {
  std::string line;
  while (true) {
    TRY("", context.out.write("Are you sure you want to continue (Y/N)? "));
    TRY_ASSIGN(const bool has_answer, "", read_line(context.in, line));
    const std::string answer = to_lower(trim(line));
    if (answer == "y") return true;
    if (answer == "n") return false;
    if (!has_answer) {
      TRY("", context.out.write("\n"));
      return false;
    }
  }
}

}  // namespace landfall::cli
