#include "kopia/kopia_errors.h"

#include <string>
#include <string_view>

#include "base/strings.h"

namespace landfall::kopia {
namespace {

constexpr std::string_view kNoRepository = "there is no kopia repository";

}  // namespace

Error error_of(const uploader_program::Ending& ending) {
  const std::string text = uploader_program::one_line(ending.text);
  const std::string lower = to_lower(text);
  const auto says = [&](std::string_view words) { return contains(lower, words); };
  const uploader_program::Ending said{.exit_code = ending.exit_code, .signal = ending.signal, .text = text};
  if (ending.signal != 0) return uploader_program::plain_error("kopia", said);
  if (says("invalid repository password")) {
    return Error(Code::kUnauthenticated,
                 "the repository does not open with this password (Secret velero-repo-credentials)");
  }
  if (says("repository not initialized") || says("cannot access storage path")) {
    return Error(Code::kNotFound, std::string(kNoRepository) + ": " + text);
  }
  if (says("error getting metadata for") && says("not found")) {
    return Error(Code::kNotFound, "there is no such snapshot in the repository: " + text);
  }
  if (auto storage = uploader_program::storage_error(text)) return *std::move(storage);
  return uploader_program::plain_error("kopia", said);
}

bool is_missing_repository(const Error& error) {
  return error.code() == Code::kNotFound && contains(error.message(), kNoRepository);
}

}  // namespace landfall::kopia
