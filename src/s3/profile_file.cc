#include "s3/profile_file.h"

#include <utility>
#include <vector>

#include "base/strings.h"
#include "io/file.h"

namespace landfall::s3 {
namespace {

constexpr std::size_t kMaxFile = 1UL << 20U;
constexpr auto kLookAgain = std::chrono::seconds(1);

using Section = std::map<std::string, std::string>;

std::string value_of(const Section& section, const std::string& key) {
  const auto at = section.find(key);
  return at == section.end() ? "" : at->second;
}

Result<Credentials> keys_of(const Section& section) {
  Credentials out{.access_key_id = value_of(section, "aws_access_key_id"),
                  .secret_access_key = value_of(section, "aws_secret_access_key"),
                  .session_token = value_of(section, "aws_session_token"),
                  .expires = std::nullopt};
  if (out.access_key_id.empty()) {
    return fail(Code::kInvalid, "aws_access_key_id is missing");
  }
  if (out.secret_access_key.empty()) {
    return fail(Code::kInvalid, "aws_secret_access_key is missing");
  }
  return out;
}

Result<const Section*> section_of(const IniFile& file, const std::string& profile) {
  const auto at = file.find(profile);
  if (at == file.end()) {
    std::vector<std::string> names;
    for (const auto& [name, section] : file) {
      names.push_back(quote(name));
    }
    return fail(Code::kNotFound, names.empty() ? "the file has no profiles, expected [default]"
                                               : "there is no such profile; there is " + join(names, ", "));
  }
  return &at->second;
}

Status check_supported(const Section& section) {
  for (const char* key : {"credential_process", "sso_session", "sso_start_url", "credential_source"}) {
    if (section.contains(key) && !section.contains("aws_access_key_id")) {
      return fail(Code::kUnsupported, std::string(key) + " is not supported; give keys or a role");
    }
  }
  return {};
}

}  // namespace

ProfileCredentials::ProfileCredentials(std::string path, std::string profile, std::shared_ptr<Sts> sts, Clock& clock)
    : path_(std::move(path)), profile_(std::move(profile)), sts_(std::move(sts)), clock_(clock) {}

Result<std::shared_ptr<ProfileCredentials>> ProfileCredentials::open(std::string path, std::string profile,
                                                                     std::shared_ptr<Sts> sts, Clock& clock) {
  auto source = std::make_shared<ProfileCredentials>(std::move(path), std::move(profile), std::move(sts), clock);
  TRY("", source->reload());
  return source;
}

Result<std::shared_ptr<CredentialsSource>> ProfileCredentials::source_from(const std::string& text) const {
  TRY_ASSIGN(const IniFile file, "file " + quote(path_), parse_ini(text));
  const std::string place = "file " + quote(path_) + ", profile " + quote(profile_);
  TRY_ASSIGN(const Section* section, place, section_of(file, profile_));
  TRY(place, check_supported(*section));
  const std::string role = value_of(*section, "role_arn");
  const std::string session = value_of(*section, "role_session_name");
  if (role.empty()) {
    TRY_ASSIGN(Credentials keys, place, keys_of(*section));
    return std::make_shared<FixedCredentials>(std::move(keys));
  }
  if (const std::string token_file = value_of(*section, "web_identity_token_file"); !token_file.empty()) {
    const WebIdentity identity{.role_arn = role, .session_name = session, .token_file = token_file};
    return std::make_shared<RenewedCredentials>(
        [sts = sts_, identity](const std::stop_token& stop) { return sts->assume_with_web_identity(identity, stop); },
        clock_);
  }
  const std::string source_profile = value_of(*section, "source_profile");
  if (source_profile.empty()) {
    return fail(Code::kInvalid, place + ": role_arn needs web_identity_token_file or source_profile");
  }
  TRY_ASSIGN(const Section* user, place + ", source_profile " + quote(source_profile),
             section_of(file, source_profile));
  TRY_ASSIGN(Credentials keys, place + ", source_profile " + quote(source_profile), keys_of(*user));
  return std::make_shared<RenewedCredentials>(
      [sts = sts_, role, session, external_id = value_of(*section, "external_id"), keys = std::move(keys)](
          const std::stop_token& stop) { return sts->assume(role, session, external_id, keys, stop); },
      clock_);
}

Status ProfileCredentials::reload() {
  TRY_ASSIGN(std::string text, "", io::read_file(path_, kMaxFile));
  const bool is_same = state_.with([&](State& state) { return state.source != nullptr && state.text == text; });
  if (is_same) {
    return {};
  }
  TRY_ASSIGN(std::shared_ptr<CredentialsSource> source, "", source_from(text));
  state_.with([&](State& state) {
    state.text = std::move(text);
    state.source = std::move(source);
  });
  return {};
}

Result<Credentials> ProfileCredentials::get(const std::stop_token& stop) {
  const bool is_due = state_.with([&](State& state) {
    const bool due = clock_.now() >= state.look_again;
    if (due) {
      state.look_again = clock_.after(kLookAgain);
    }
    return due;
  });
  if (is_due) {
    // A file that cannot be used just now leaves what we have; the server decides whether that is still good.
    std::ignore = reload();
  }
  const auto source = state_.with([](State& state) { return state.source; });
  TRY_ASSIGN(Credentials credentials, "profile " + quote(profile_), source->get(stop));
  return credentials;
}

void ProfileCredentials::refused(const Credentials& credentials) {
  const auto source = state_.with([](State& state) {
    state.look_again = SteadyTime::min();
    return state.source;
  });
  source->refused(credentials);
}

}  // namespace landfall::s3
