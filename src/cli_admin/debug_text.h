#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace landfall::cli {

// What stands in the place of something that was taken out of a debug bundle.
inline constexpr std::string_view kRemoved = "<removed>";

// Takes secrets out of free text: messages, logs, what commands print. Better one word too many than one password. It
// knows a secret by the name before it (password=…, --db-pass …, "token": "…"), by where it stands (users and queries
// of URLs, Authorization, curl -u, mysql -p) and by its looks (access keys, JSON web tokens, private keys). A value in
// quotes ends where they close, any other at white space. Time is linear in the text. Thread-safe.
class SecretText {
 public:
  SecretText();
  ~SecretText();
  SecretText(const SecretText&) = delete;
  SecretText& operator=(const SecretText&) = delete;

  std::string clean(std::string_view text) const;

 private:
  struct Rules;
  std::unique_ptr<const Rules> rules_;
};

}  // namespace landfall::cli
