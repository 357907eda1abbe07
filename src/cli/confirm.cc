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
  constexpr int kMostAnswers = 100;  // somebody who answers so often is a program
  std::string line;
  for (int i = 0; i < kMostAnswers; ++i) {
    TRY("", context.out.write("Are you sure you want to continue (Y/N)? "));
    TRY_ASSIGN(const bool has_answer, "", read_line(context.in, line));
    const std::string answer = to_lower(trim(line));
    if (answer == "y") return true;
    if (answer == "n") return false;
    if (!has_answer) {
      TRY("", context.out.write("\n"));
      // As Velero ends. To a script of ours it would look as if it were done.
      if (context.called_as_velero()) return false;
      break;
    }
  }
  return fail(Code::kInvalid, "not confirmed, and nothing is done: add --confirm to go on without being asked");
}

}  // namespace landfall::cli
