#include "cli_admin/debug_redaction.h"

#include <re2/re2.h>

#include <vector>

#include "api/artifact_route.h"
#include "base/strings.h"
#include "io/url.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::cli {

using json::Json;
using re2::RE2;

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20U;
constexpr std::string_view kKeyBegins = "PRIVATE KEY-----";

constexpr const char* kSecretName =
    R"((?i)(password|passwd|passphrase|secret|token|credential|access[-_.]?key|account[-_.]?key|api[-_.]?key|private[-_.]?key|encryption[-_.]?key|shared[-_.]?key|storage[-_.]?key|connection[-_.]?string|signature|authorization|cookie|bearer|(^|[-_.])(sas|pwd|auth)([-_.]|$)))";

// These have such a name, but hold the name of a thing, a place or a number.
constexpr const char* kHarmlessName =
    R"((?i)(name|names|ref|refs|file|files|path|dir|mode|policy|seconds|count|expiration|type|kind|key_id_source)$)";

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Redaction::Patterns {
  struct Rule {
    std::unique_ptr<RE2> what;
    std::string with;
  };
  RE2 secret_name{kSecretName};
  RE2 harmless_name{kHarmlessName};
  std::vector<Rule> rules;

  void add(const char* what, const std::string& with) { rules.push_back({std::make_unique<RE2>(what), with}); }
};

Redaction::Redaction() {
  auto patterns = std::make_unique<Patterns>();
  const std::string removed(kRemoved);
  // Keys over several lines, and those that stand in one with "\n" written out.
  patterns->add(R"((?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|\z))", removed);
  // Users and passwords of URLs, and their queries: signatures and tokens.
  patterns->add(R"((?i)\b([a-z][a-z0-9+.-]*://)[^\s/@"'?#]+@)", R"(\1)" + removed + "@");
  patterns->add(R"((?i)\b([a-z][a-z0-9+.-]*://[^\s?"'<>\\]+)\?[^\s"'<>]+)", R"(\1?)" + removed);
  patterns->add(R"((?i)([?&](?:token|sig|signature|X-Amz-[a-z-]+|AWSAccessKeyId)=)[^\s&"'<>]+)", R"(\1)" + removed);
  // Headers.
  patterns->add(R"((?i)\b((?:proxy-)?authorization|cookie|set-cookie|x-amz-security-token)(["'\]]*\s*[:=]\s*)[^\r\n]+)",
                R"(\1\2)" + removed);
  patterns->add(R"((?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,})", R"(\1 )" + removed);
  // name=value, name: value, "name": "value", --name value.
  patterns->add(
      R"re((?i)([A-Za-z0-9_.-]*(?:password|passwd|passphrase|secret|token|credentials?|access[-_.]?key|account[-_.]?key|api[-_.]?key|private[-_.]?key|shared[-_.]?key|connection[-_.]?string|signature)[A-Za-z0-9_-]*\\?["']?\s*(?:=>|[:=])\s*\\?["']?)[^\s"',;&\\<>{}\[\]]+)re",
      R"(\1)" + removed);
  patterns->add(R"re((?i)(\s--?(?:[a-z0-9-]*(?:password|secret|token|passphrase)[a-z0-9-]*)\s+)[^\s-][^\s]*)re",
                R"(\1)" + removed);
  // By their looks.
  patterns->add(R"(\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,})", removed);
  patterns->add(R"(\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?)", removed);
  patterns->add(R"(\b(?:ghp|gho|ghs|glpat|xox[a-z])[-_][A-Za-z0-9_-]{10,})", removed);
  patterns_ = std::move(patterns);
}

Redaction::~Redaction() = default;

bool Redaction::is_secret_name(std::string_view name) const {
  return RE2::PartialMatch(piece(name), patterns_->secret_name) &&
         !RE2::PartialMatch(piece(name), patterns_->harmless_name);
}

bool Redaction::is_secret_flag(std::string_view word) const {
  return word.starts_with("-") && !contains(word, "=") && is_secret_name(word);
}

std::string Redaction::text(std::string_view text) const {
  std::string result(text);
  for (const Patterns::Rule& rule : patterns_->rules) RE2::GlobalReplace(&result, *rule.what, rule.with);
  return result;
}

void Redaction::value(Json& value, bool is_secret) const {
  if (value.is_object()) {
    members(value);
  } else if (value.is_array()) {
    // The arguments of a command: what stands behind --password is one.
    bool is_behind = false;
    for (Json& one : value) {
      this->value(one, is_secret || is_behind);
      is_behind = one.is_string() && is_secret_flag(one.get_ref<const std::string&>());
    }
  } else if (value.is_string()) {
    value = is_secret ? std::string(kRemoved) : text(value.get_ref<const std::string&>());
  }
}

void Redaction::members(Json& object) const {
  // An environment variable, or anything else that is written as a name and a value.
  const bool is_named_secret = is_secret_name(json::string_or(object, {"name"}, ""));
  for (auto& [key, member] : object.items()) {
    value(member, is_secret_name(key) || (is_named_secret && key == "value"));
  }
}

void Redaction::object(Json& object) const {
  if (auto found = object.find("metadata"); found != object.end() && found->is_object()) {
    found->erase("managedFields");
    if (auto notes = found->find("annotations"); notes != found->end() && notes->is_object()) {
      notes->erase("kubectl.kubernetes.io/last-applied-configuration");
      notes->erase(std::string(api::kArtifactRouteAnnotation));
    }
  }
  if (json::string_or(object, {"kind"}, "") == "DownloadRequest" && json::has(object, {"status", "downloadURL"})) {
    object["status"]["downloadURL"] = io::redact_url(json::string_or(object, {"status", "downloadURL"}, ""));
  }
  members(object);
}

Status RedactingWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() < kLongestLine) line_ += part.substr(0, kLongestLine - line_.size());
    if (end == std::string_view::npos) return {};
    TRY("", put_line());
    bytes.remove_prefix(end + 1);
  }
  return {};
}

Status RedactingWriter::put_line() {
  const bool begins = contains(line_, "-----BEGIN ") && contains(line_, kKeyBegins);
  const bool ends = contains(line_, "-----END ") && contains(line_, kKeyBegins);
  std::string shown;
  if (is_in_key_) {
    shown = ends ? std::string(Redaction::kRemoved) : "";
  } else {
    shown = redaction_.text(line_);
  }
  const bool is_shown = !is_in_key_ || ends;
  is_in_key_ = (is_in_key_ || begins) && !ends;
  line_.clear();
  return is_shown ? to_.write(shown + "\n") : Status();
}

Status RedactingWriter::close() { return line_.empty() ? Status() : put_line(); }

}  // namespace landfall::cli
