#include "restic/restic_errors.h"

#include <string>
#include <string_view>

#include "base/strings.h"

namespace landfall::restic {
namespace {

constexpr int kNoRepository = 10;
constexpr int kLocked = 11;
constexpr int kWrongPassword = 12;
constexpr std::string_view kLockedText = "the repository is locked";

// "Fatal: wrong password or no key found" without the word that says nothing; one line.
std::string plain(std::string_view text) {
  constexpr std::string_view kFatal = "Fatal: ";
  text = trim(text);
  return uploader_program::one_line(strip_prefix(text, kFatal).value_or(text));
}

bool misses_snapshot(std::string_view lower) {
  if (contains(lower, "no matching id found") || contains(lower, "no snapshot found") ||
      contains(lower, "failed to find snapshot")) {
    return true;
  }
  // Releases since 0.17 look for a full name without asking whether it is there.
  return contains(lower, "failed to load snapshot") &&
         (contains(lower, "no such file or directory") || contains(lower, "does not exist"));
}

// restic says the same of a repository that it may not read or cannot reach; such a one must not be made anew.
Error without_repository(const std::string& text, std::string_view lower) {
  const bool is_missing =
      contains(lower, "no such file or directory") || contains(lower, "specified key does not exist");
  const std::string reason = text.substr(0, lower.find("is there a repository at the following location"));
  if (auto storage = uploader_program::storage_error(reason); storage && !is_missing) return *std::move(storage);
  return Error(Code::kNotFound, "there is no restic repository: " + text);
}

}  // namespace

Error error_of(const uploader_program::Ending& ending) {
  const std::string text = plain(ending.text);
  const std::string lower = to_lower(text);
  const auto says = [&](std::string_view words) { return contains(lower, words); };
  const uploader_program::Ending said{.exit_code = ending.exit_code, .signal = ending.signal, .text = text};
  if (ending.signal != 0) return uploader_program::plain_error("restic", said);
  if (ending.exit_code == kWrongPassword || says("wrong password or no key found")) {
    return Error(Code::kUnauthenticated,
                 "the repository does not open with this password (Secret velero-repo-credentials)");
  }
  if (ending.exit_code == kNoRepository || says("is there a repository at the following location") ||
      says("repository does not exist")) {
    return without_repository(text, lower);
  }
  if (ending.exit_code == kLocked || says("already locked")) {
    return Error(Code::kConflict, std::string(kLockedText) + ": " + text);
  }
  if (misses_snapshot(lower)) return Error(Code::kNotFound, "there is no such snapshot in the repository: " + text);
  if (auto storage = uploader_program::storage_error(text)) return *std::move(storage);
  return uploader_program::plain_error("restic", said);
}

bool is_locked(const Error& error) { return error.code() == Code::kConflict && contains(error.message(), kLockedText); }

}  // namespace landfall::restic
