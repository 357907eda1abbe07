#include "cli/client_config.h"

#include <filesystem>
#include <system_error>

#include "io/file.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::cli {
namespace {

constexpr std::size_t kLargest = 1UL << 20;

}  // namespace

Result<ClientConfig> ClientConfig::load(const Environment& environment) {
  ClientConfig config;
  const std::string home = environment.get_or("HOME", "");
  if (home.empty()) {
    return config;
  }
  config.path_ = home + "/.config/velero/config.json";
  std::error_code error;
  if (std::filesystem::exists(config.path_, error) && !std::filesystem::is_regular_file(config.path_, error)) {
    return fail(Code::kInvalid, "client configuration " + config.path_ + ": is no file");
  }
  const auto text = io::read_file(config.path_, kLargest);
  if (!text && text.error().code() == Code::kNotFound) {
    return config;
  }
  if (!text) {
    return fail("client configuration", text.error());
  }
  TRY_ASSIGN(const json::Json document, "client configuration " + config.path_, json::parse(*text));
  if (!document.is_object()) {
    return fail(Code::kInvalid, "client configuration " + config.path_ + ": expected an object of strings");
  }
  for (const auto& [key, value] : document.items()) {
    if (value.is_string()) {
      config.values_[key] = value.get<std::string>();
    } else {
      config.others_[key] = json::dump(value);
    }
  }
  return config;
}

std::string ClientConfig::get_or(const std::string& key, const std::string& fallback) const {
  const auto found = values_.find(key);
  return found == values_.end() || found->second.empty() ? fallback : found->second;
}

void ClientConfig::set(const std::string& key, const std::string& value) {
  others_.erase(key);
  if (value.empty()) {
    values_.erase(key);
  } else {
    values_[key] = value;
  }
}

Status ClientConfig::save() const {
  if (path_.empty()) {
    return fail(Code::kInvalid, "client configuration: $HOME is not set, so there is no place to keep it");
  }
  const auto directory = std::filesystem::path(path_).parent_path();
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(directory, error);
  if (!error && is_new) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  if (error) {
    return fail(Code::kInternal, "client configuration: create " + directory.string() + ": " + error.message());
  }
  json::Json document = values_;
  for (const auto& [key, text] : others_) {
    TRY_ASSIGN(document[key], "client configuration", json::parse(text));
  }
  return io::write_file(path_, json::dump(document), {.mode = 0600});
}

}  // namespace landfall::cli
