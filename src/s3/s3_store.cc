#include "s3/s3_store.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "s3/client.h"
#include "s3/deletion.h"
#include "s3/download.h"
#include "s3/listing.h"
#include "s3/s3_error.h"
#include "s3/upload.h"

namespace landfall::s3 {
namespace {

constexpr std::chrono::seconds kLongestValidity = std::chrono::days(7);

// Consoles make empty objects with names such as "backups/" to show folders.
Status check_key_or_folder(std::string_view key) {
  return extension::check_key(key.size() > 1 && key.ends_with('/') ? key.substr(0, key.size() - 1) : key);
}

}  // namespace

struct S3Store::Impl {
  std::string place(std::string_view action, std::string_view key) const {
    return std::string(action) + " " + quote(key) + " in bucket " + quote(client->config().bucket);
  }

  std::shared_ptr<Client> client;
  Deletion deletion;
};

S3Store::S3Store(std::shared_ptr<Client> client) : impl_(std::make_unique<Impl>()) {
  impl_->client = std::move(client);
}
S3Store::~S3Store() = default;

extension::StoreCapabilities S3Store::capabilities() const {
  return {.keeps_empty_objects = true, .lists_sizes = true, .signs_urls = true, .creates_if_absent = true};
}

Status S3Store::put(std::string_view key, const extension::ObjectSource& source, const extension::PutOptions& options,
                    const std::stop_token& stop) {
  TRY("put", extension::check_key(key));
  if (options.if_absent) {
    // Spares the upload, and is all there is with servers of old that ignore If-None-Match. Who may not read is told
    // that nothing may be read here even of an object that is not there; the upload decides then.
    const auto is_there = exists(key, stop);
    if (!is_there && is_there.error().code() != Code::kForbidden) {
      return fail("put", is_there.error());
    }
    if (is_there && *is_there) {
      return fail(Code::kAlreadyExists, impl_->place("put", key) + ": there is one already");
    }
  }
  TRY(impl_->place("put", key), upload(*impl_->client, std::string(key), source, options, stop));
  return {};
}

Result<std::unique_ptr<io::Reader>> S3Store::get(std::string_view key, const std::stop_token& stop) {
  TRY("get", extension::check_key(key));
  return Download::open(impl_->client, std::string(key), stop);
}

// A GET of the first byte rather than a HEAD: its errors come with an explanation, and tell a bucket that is not there
// from an object that is not.
Result<bool> S3Store::exists(std::string_view key, const std::stop_token& stop) {
  TRY("exists", extension::check_key(key));
  S3Request request{.key = std::string(key), .headers = {{"Range", "bytes=0-0"}}};
  impl_->client->add_customer_key(request.headers);
  const auto answer = impl_->client->open(request, stop);
  if (answer) {
    char byte = 0;
    std::ignore = (*answer)->read(std::span(&byte, 1));  // to the end, so that the connection can be used again
    return true;
  }
  const Error& error = answer.error();
  const auto* detail = error.detail<S3ErrorDetail>();
  // A 404 need not be about the object: versitygw answers so to a key that it does not know.
  if (s3_code_of(error) == "NoSuchKey" ||
      (detail != nullptr && detail->http_status == 404 && detail->s3_code.empty())) {
    return false;
  }
  const bool is_empty = detail != nullptr && detail->http_status == 416;
  const bool is_archived = s3_code_of(error) == "InvalidObjectState";
  if (is_empty || is_archived) {
    return true;
  }
  return tl::unexpected(error);
}

Status S3Store::list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) {
  return list_pages(
      *impl_->client, prefix, "",
      [&](const ListPage& page) -> Status {
        for (const extension::ObjectInfo& object : page.objects) {
          TRY("", visit(object));
        }
        return {};
      },
      stop);
}

Result<std::vector<std::string>> S3Store::folders(std::string_view prefix, const std::stop_token& stop) {
  if (!prefix.empty() && !prefix.ends_with('/')) {
    return fail(Code::kInvalid, "folders: the prefix " + quote(prefix) + " does not end in \"/\"");
  }
  std::vector<std::string> found;
  TRY("", list_pages(
              *impl_->client, prefix, "/",
              [&](const ListPage& page) -> Status {
                found.insert(found.end(), page.folders.begin(), page.folders.end());
                return {};
              },
              stop));
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Status S3Store::remove(std::span<const std::string> keys, const std::stop_token& stop) {
  Status refused;
  std::vector<std::string> taken;
  for (const std::string& key : keys) {
    Status valid = check_key_or_folder(key);
    if (valid) {
      taken.push_back(key);
    } else if (refused) {
      refused = fail("remove", valid.error());
    }
  }
  Status removed = impl_->deletion.remove(*impl_->client, std::move(taken), stop);
  return removed && !refused ? refused : removed;
}

Result<std::string> S3Store::signed_url(std::string_view key, std::chrono::seconds valid_for,
                                        const std::stop_token& stop) {
  TRY("signed URL", extension::check_key(key));
  if (valid_for < std::chrono::seconds(1) || valid_for > kLongestValidity) {
    return fail(Code::kInvalid, "signed URL: can be valid for a second up to seven days");
  }
  TRY_ASSIGN(std::string url, impl_->place("signed URL for", key), impl_->client->presign(key, valid_for, stop));
  return url;
}

Result<std::size_t> S3Store::sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) {
  return abort_old_uploads(*impl_->client, prefix, begun_before, stop);
}

Result<std::unique_ptr<S3Store>> open_s3_store(const std::map<std::string, std::string>& config,
                                               const Environment& environment, Clock& clock, const S3Options& options) {
  TRY_ASSIGN(S3Config parsed, "s3", parse_config(config));
  TRY_ASSIGN(std::string customer_key, "s3: config", load_customer_key(parsed, options.read_secret));
  TRY_ASSIGN(std::shared_ptr<Client> client, "s3",
             Client::create({.config = std::move(parsed),
                             .customer_key = std::move(customer_key),
                             .tuning = options.tuning,
                             .environment = environment,
                             .logger = options.logger},
                            clock));
  return std::make_unique<S3Store>(std::move(client));
}

Result<std::unique_ptr<extension::ObjectStore>> open_s3(const std::map<std::string, std::string>& config,
                                                        const Environment& environment, Clock& clock,
                                                        const S3Options& options) {
  TRY_ASSIGN(std::unique_ptr<S3Store> store, "", open_s3_store(config, environment, clock, options));
  return store;
}

}  // namespace landfall::s3
