#include "cli_admin/debug_text.h"

#include <re2/re2.h>

#include <vector>

#include "cli_admin/debug_named_values.h"

namespace landfall::cli {

using re2::RE2;

namespace {

struct Rule {
  std::unique_ptr<RE2> what;
  std::string with;
};

void apply(const std::vector<Rule>& rules, std::string& text) {
  for (const Rule& rule : rules) RE2::GlobalReplace(&text, *rule.what, rule.with);
}

bool is_base64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '+';
}

// A secret access key of AWS is 40 characters, among them capitals, small letters and digits. Commits and names of
// objects have no capitals.
bool looks_like_key(std::string_view word) {
  constexpr std::size_t kLength = 40;
  if (word.size() != kLength) return false;
  bool upper = false;
  bool lower = false;
  bool digit = false;
  for (const char c : word) {
    upper = upper || (c >= 'A' && c <= 'Z');
    lower = lower || (c >= 'a' && c <= 'z');
    digit = digit || (c >= '0' && c <= '9') || c == '+';
  }
  return upper && lower && digit;
}

std::string without_keys(std::string_view text) {
  std::string out;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t begin = i;
    while (i < text.size() && is_base64(text[i])) ++i;
    const std::string_view word = text.substr(begin, i - begin);
    out += looks_like_key(word) ? kRemoved : word;
    while (i < text.size() && !is_base64(text[i])) out += text[i++];
  }
  return out;
}

}  // namespace

struct SecretText::Rules {
  std::vector<Rule> first;
  std::vector<Rule> urls;
  std::vector<Rule> looks;

  static void add(std::vector<Rule>& to, const char* what, const std::string& kept, const std::string& behind = "") {
    to.push_back({std::make_unique<RE2>(what), kept + std::string(kRemoved) + behind});
  }
};

SecretText::SecretText() {
  auto rules = std::make_unique<Rules>();
  // Keys over several lines, and those that stand in one with "\n" written out.
  Rules::add(rules->first, R"((?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|\z))",
             "");
  // What a hook runs, as `describe` shows it.
  Rules::add(rules->first, R"((?m)^(\s*Command:[ \t]+[^\s=]+)[ \t=][^\n]*)", R"(\1 )");
  // Headers, to the end of the line.
  Rules::add(rules->first,
             R"((?i)\b((?:proxy-)?authorization|cookie|set-cookie|x-amz-security-token)(\\*["'\]]*\s*[:=]\s*)[^\r\n]+)",
             R"(\1\2)");
  Rules::add(rules->first, R"((?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,})", R"(\1 )");
  // In words; "secret" is not among them: its name stands behind it.
  Rules::add(rules->first,
             R"re((?i)\b((?:password|passwd|passphrase|identified\s+by)\s+)(?:"(?:[^"\\]|\\.)*"|'[^']*'))re", R"(\1)");
  // Queries hold signatures and tokens; whole paths are the secret of webhooks.
  Rules::add(rules->urls, R"((?i)\b([a-z][a-z0-9+.-]*://[^\s?"'<>\\]+)\?[^\s"'<>]+)", R"(\1?)");
  Rules::add(rules->urls, R"((?i)([?&](?:token|sig|signature|X-Amz-[a-z-]+|AWSAccessKeyId)=)[^\s&"'<>]+)", R"(\1)");
  Rules::add(
      rules->urls,
      R"((?i)((?:hooks\.slack\.com|api\.telegram\.org|webhook\.office\.com|outlook\.office(?:365)?\.com)/)[^\s"'<>]+)",
      R"(\1)");
  Rules::add(rules->urls, R"((?i)(://[^\s"'<>]*/webhooks?/)[^\s"'<>]+)", R"(\1)");
  Rules::add(rules->looks, R"(\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,})", "");
  Rules::add(rules->looks, R"(\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?)", "");
  Rules::add(rules->looks, R"(\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|sk_live|hvs|ya29)[-_.][A-Za-z0-9_-]{10,})",
             "");
  Rules::add(rules->looks, R"(\bAIza[A-Za-z0-9_-]{35})", "");
  // The key of an Azure storage account.
  Rules::add(rules->looks, R"((^|[^A-Za-z0-9+/])[A-Za-z0-9+/]{86}==)", R"(\1)");
  rules_ = std::move(rules);
}

SecretText::~SecretText() = default;

std::string SecretText::clean(std::string_view text) const {
  std::string result(text);
  apply(rules_->first, result);
  result = without_users(result);
  apply(rules_->urls, result);
  result = without_named_values(result);
  apply(rules_->looks, result);
  return without_keys(result);
}

}  // namespace landfall::cli
