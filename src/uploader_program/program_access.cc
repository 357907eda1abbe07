#include "uploader_program/program_access.h"

#include "base/quote.h"

namespace landfall::uploader_program {

std::map<std::string, std::string> storage_environment(const extension::RepositoryAccess& repository) {
  if (!repository.s3) return {};
  std::map<std::string, std::string> environment = {{"AWS_ACCESS_KEY_ID", repository.s3->access_key},
                                                    {"AWS_SECRET_ACCESS_KEY", repository.s3->secret_key}};
  if (!repository.s3->session_token.empty()) environment["AWS_SESSION_TOKEN"] = repository.s3->session_token;
  if (!repository.s3->region.empty()) environment["AWS_DEFAULT_REGION"] = repository.s3->region;
  return environment;
}

std::map<std::string, std::string> network_environment(const Environment& ours) {
  std::map<std::string, std::string> environment;
  // Go's programs read both spellings of the first three.
  for (const char* const name : {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
                                 "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    if (auto value = ours.get(name)) environment[name] = *std::move(value);
  }
  return environment;
}

Status check_snapshot(std::string_view id, std::string_view program) {
  constexpr std::size_t kLongest = 64;
  const bool is_hex =
      !id.empty() && id.size() <= kLongest && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (is_hex) return {};
  return fail(Code::kInvalid, quote(id.substr(0, kLongest)) + " is no snapshot of " + std::string(program));
}

}  // namespace landfall::uploader_program
