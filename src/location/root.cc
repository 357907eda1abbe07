#include <filesystem>
#include <system_error>

#include "base/strings.h"
#include "location/opened_location.h"

namespace landfall::location {
namespace {

namespace fs = std::filesystem;

struct Root {
  std::string provider;
  Config config;
};

Result<Root> s3_root(std::string_view rest, const Environment& environment) {
  const std::size_t slash = rest.find('/');
  const std::string bucket(rest.substr(0, slash));
  if (bucket.empty()) return fail(Code::kInvalid, "expected s3://BUCKET or s3://BUCKET/PREFIX");
  Root root{.provider = "aws", .config = {{"bucket", bucket}}};
  if (slash != std::string_view::npos) root.config["prefix"] = rest.substr(slash + 1);
  const std::string region = environment.get_or("AWS_REGION", environment.get_or("AWS_DEFAULT_REGION", ""));
  if (!region.empty()) root.config["region"] = region;
  const std::string endpoint = environment.get_or("AWS_ENDPOINT_URL_S3", environment.get_or("AWS_ENDPOINT_URL", ""));
  if (!endpoint.empty()) {
    root.config["s3Url"] = endpoint;
    root.config["s3ForcePathStyle"] = "true";
  }
  return root;
}

// The directory is a bucket, whatever it is called.
Result<Root> directory_root(std::string_view text) {
  std::error_code error;
  fs::path path = fs::canonical(fs::path(text), error);
  if (error) return fail(Code::kNotFound, std::string(text) + ": " + error.message());
  if (!path.has_filename()) return fail(Code::kInvalid, std::string(text) + ": expected a directory with backups");
  return Root{.provider = "filesystem",
              .config = {{"path", path.parent_path().string()}, {"bucket", path.filename().string()}}};
}

Result<Root> parse_root(std::string_view text, const Environment& environment) {
  if (text.empty()) return fail(Code::kInvalid, "expected s3://BUCKET/PREFIX or a directory");
  if (const auto rest = strip_prefix(text, "s3://")) return s3_root(*rest, environment);
  if (text.find("://") != std::string_view::npos) {
    return fail(Code::kInvalid, std::string(text) + ": expected s3://BUCKET/PREFIX or a directory");
  }
  return directory_root(text);
}

}  // namespace

Result<std::unique_ptr<OpenedLocation>> open_root(std::string_view root, const World& world) {
  TRY_ASSIGN(Root parsed, "", parse_root(root, world.environment));
  TRY_ASSIGN(bucket::Layout layout, "", bucket::Layout::create(parsed.config["prefix"]));
  TRY_ASSIGN(auto store, std::string(root), open_store(parsed.provider, parsed.config, world));
  return std::make_unique<OpenedLocation>(std::move(store), std::move(layout), std::nullopt);
}

}  // namespace landfall::location
