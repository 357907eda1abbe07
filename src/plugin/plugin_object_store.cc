#include "plugin/plugin_object_store.h"

#include <fmt/format.h>
#include <grpcpp/support/sync_stream.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "plugin/call.h"

namespace landfall::plugin {
namespace {

constexpr std::size_t kChunk = 16384;  // what Velero sends, so that every plugin has seen it

// The bytes of an object. Keeps the process, so that it may outlive the store.
class PluginObjectReader final : public io::Reader {
 public:
  PluginObjectReader(std::shared_ptr<ProcessSlot> slot, std::shared_ptr<PluginProcess> process, std::string name,
                     std::string key, std::stop_token stop)
      : slot_(std::move(slot)),
        process_(std::move(process)),
        name_(std::move(name)),
        key_(std::move(key)),
        stop_(std::move(stop)),
        call_(std::make_unique<PluginProcess::Call>(*process_, stop_)) {}
  PluginObjectReader(const PluginObjectReader&) = delete;
  PluginObjectReader& operator=(const PluginObjectReader&) = delete;
  ~PluginObjectReader() override {
    if (!stream_ || is_over_) return;
    call_->context().TryCancel();  // a plugin would go on sending until the connection ends
    static_cast<void>(stream_->Finish());
  }

  // Asks for the object and waits for its first bytes: that is when a plugin says that there is none.
  Status open(const generated::GetObjectRequest& request) {
    stream_ = process_->stubs().object_store->GetObject(&call_->context(), request);
    return next();
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    while (offset_ == bytes_.data().size()) {
      if (failure_) return tl::unexpected(*failure_);
      if (is_over_ || buffer.empty()) return 0;
      TRY("", next());
    }
    const std::size_t size = std::min(buffer.size(), bytes_.data().size() - offset_);
    std::memcpy(buffer.data(), bytes_.data().data() + offset_, size);
    offset_ += size;
    return size;
  }

 private:
  Status next() {
    offset_ = 0;
    if (stream_->Read(&bytes_)) return {};
    bytes_.clear_data();
    is_over_ = true;
    const grpc::Status status = stream_->Finish();
    if (status.ok()) return {};
    failure_ = call_error(*process_, {name_, "GetObject"}, status, stop_).with_context("object " + quote(key_));
    return tl::unexpected(*failure_);
  }

  const std::shared_ptr<ProcessSlot> slot_;
  const std::shared_ptr<PluginProcess> process_;
  const std::string name_;
  const std::string key_;
  const std::stop_token stop_;
  std::unique_ptr<PluginProcess::Call> call_;
  std::unique_ptr<grpc::ClientReader<generated::Bytes>> stream_;
  generated::Bytes bytes_;
  std::size_t offset_ = 0;
  bool is_over_ = false;
  std::optional<Error> failure_;
};

class PluginObjectStore final : public extension::ObjectStore {
 public:
  PluginObjectStore(std::shared_ptr<ProcessSlot> slot, std::string name, std::string bucket)
      : slot_(std::move(slot)), name_(std::move(name)), bucket_(std::move(bucket)) {}

  extension::StoreCapabilities capabilities() const override { return {.signs_urls = true}; }

  Status put(std::string_view key, const extension::ObjectSource& source, const extension::PutOptions& options,
             const std::stop_token& stop) override {
    const std::string context = "put " + place(key);
    TRY(context, extension::check_key(key));
    if (options.if_absent) return fail(Code::kUnsupported, context + ": a plugin cannot create only if absent");
    TRY_ASSIGN(const auto reader, context, source.open());
    TRY(context, send(key, *reader, stop));
    return {};
  }

  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override {
    const std::string context = "get " + place(key);
    TRY(context, extension::check_key(key));
    TRY_ASSIGN(auto process, context, slot_->process(stop));
    auto reader = std::make_unique<PluginObjectReader>(slot_, std::move(process), name_, std::string(key), stop);
    const Status opened = reader->open(request<generated::GetObjectRequest>(key));
    if (opened) return reader;
    // Plugins have no code for what is not there.
    if (opened.error().code() == Code::kInternal) {
      const auto is_there = exists(key, stop);
      if (is_there && !*is_there) return fail(Code::kNotFound, context + ": no such object");
    }
    return fail(context, opened.error());
  }

  Result<bool> exists(std::string_view key, const std::stop_token& stop) override {
    const std::string context = "look for " + place(key);
    TRY(context, extension::check_key(key));
    TRY_ASSIGN(const auto answer, context,
               call("ObjectExists", &generated::ObjectStore::Stub::ObjectExists,
                    request<generated::ObjectExistsRequest>(key), stop));
    return answer.exists();
  }

  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override {
    generated::ListObjectsRequest request;
    request.set_plugin(name_);
    request.set_bucket(bucket_);
    request.set_prefix(std::string(prefix));
    TRY_ASSIGN(auto answer, "list " + place(prefix),
               call("ListObjects", &generated::ObjectStore::Stub::ListObjects, request, stop));
    std::vector<std::string> keys(std::make_move_iterator(answer.mutable_keys()->begin()),
                                  std::make_move_iterator(answer.mutable_keys()->end()));
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    for (std::string& key : keys) {
      if (!key.starts_with(prefix)) continue;
      if (stop.stop_requested()) return fail(Code::kCancelled, "list " + place(prefix) + ": stopped");
      TRY("", visit({.key = std::move(key), .size = std::nullopt}));
    }
    return {};
  }

  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override {
    generated::ListCommonPrefixesRequest request;
    request.set_plugin(name_);
    request.set_bucket(bucket_);
    request.set_prefix(std::string(prefix));
    request.set_delimiter("/");
    TRY_ASSIGN(const auto answer, "list the folders of " + place(prefix),
               call("ListCommonPrefixes", &generated::ObjectStore::Stub::ListCommonPrefixes, request, stop));
    std::vector<std::string> found;
    for (const std::string& one : answer.prefixes()) {
      if (one.size() > prefix.size() && one.starts_with(prefix) && one.ends_with('/')) found.push_back(one);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override {
    Status outcome;
    for (const std::string& key : keys) {
      if (stop.stop_requested()) return fail(Code::kCancelled, "remove " + place(key) + ": stopped");
      Status removed = remove_one(key, stop);
      if (!removed && outcome) outcome = std::move(removed);
    }
    return outcome;
  }

  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& stop) override {
    const std::string context = "sign a URL of " + place(key);
    TRY(context, extension::check_key(key));
    auto asked = request<generated::CreateSignedURLRequest>(key);
    asked.set_ttl(std::chrono::nanoseconds(valid_for).count());
    TRY_ASSIGN(const auto answer, context,
               call("CreateSignedURL", &generated::ObjectStore::Stub::CreateSignedURL, asked, stop));
    return answer.url();
  }

  // What is left of puts is the plugin's own business.
  Result<std::size_t> sweep(std::string_view /*prefix*/, WallTime /*begun_before*/,
                            const std::stop_token& /*stop*/) override {
    return std::size_t{0};
  }

 private:
  template <class Request>
  Request request(std::string_view key) const {
    Request made;
    made.set_plugin(name_);
    made.set_bucket(bucket_);
    made.set_key(std::string(key));
    return made;
  }

  template <class Request, class Response>
  Result<Response> call(std::string_view method,
                        grpc::Status (generated::ObjectStore::Stub::*function)(grpc::ClientContext*, const Request&,
                                                                               Response*),
                        const Request& request, const std::stop_token& stop) {
    return call_plugin(*slot_, {name_, method}, &Stubs::object_store, function, request, stop);
  }

  std::string place(std::string_view key) const { return fmt::format("{} in bucket {}", quote(key), quote(bucket_)); }

  Status remove_one(const std::string& key, const std::stop_token& stop) {
    const std::string context = "remove " + place(key);
    TRY(context, extension::check_key(key));
    auto removed = call("DeleteObject", &generated::ObjectStore::Stub::DeleteObject,
                        request<generated::DeleteObjectRequest>(key), stop);
    if (removed) return {};
    // Some plugins mind when there is nothing to remove.
    const bool may_be_gone = removed.error().code() == Code::kInternal || removed.error().code() == Code::kNotFound;
    if (may_be_gone) {
      const auto is_there = exists(key, stop);
      if (is_there && !*is_there) return {};
    }
    return fail(context, std::move(removed).error());
  }

  Status send(std::string_view key, io::Reader& reader, const std::stop_token& stop) {
    TRY_ASSIGN(const auto process, "", slot_->process(stop));
    std::string chunk(kChunk, '\0');
    TRY_ASSIGN(std::size_t size, "read what is to be stored", fill(reader, chunk));
    // To a plugin an object without bytes is one that was never sent.
    if (size == 0) return fail(Code::kUnsupported, "a plugin cannot store an empty object");
    PluginProcess::Call call(*process, stop);
    generated::Empty answer;
    const auto stream = process->stubs().object_store->PutObject(&call.context(), &answer);
    auto message = request<generated::PutObjectRequest>(key);
    while (size > 0) {
      message.set_body(chunk.data(), size);
      if (!stream->Write(message)) break;  // the plugin has had enough: its status says why
      auto got = fill(reader, chunk);
      if (!got) {
        // The regular end would make a whole object of half of it.
        call.context().TryCancel();
        static_cast<void>(stream->Finish());
        return fail("read what is to be stored", std::move(got).error());
      }
      size = *got;
    }
    if (size == 0) stream->WritesDone();
    const grpc::Status status = stream->Finish();
    if (!status.ok()) return tl::unexpected(call_error(*process, {name_, "PutObject"}, status, stop));
    if (size != 0) return fail(Code::kInternal, fmt::format("plugin {}: PutObject: did not take all bytes", name_));
    return {};
  }

  static Result<std::size_t> fill(io::Reader& reader, std::string& chunk) {
    std::size_t filled = 0;
    while (filled < chunk.size()) {
      TRY_ASSIGN(const std::size_t got, "", reader.read({chunk.data() + filled, chunk.size() - filled}));
      if (got == 0) break;
      filled += got;
    }
    return filled;
  }

  const std::shared_ptr<ProcessSlot> slot_;
  const std::string name_;
  const std::string bucket_;
};

}  // namespace

Result<std::unique_ptr<extension::ObjectStore>> open_object_store(std::shared_ptr<ProcessSlot> slot,
                                                                  const std::string& name, const Config& config,
                                                                  Duration first_call_limit,
                                                                  const std::stop_token& stop) {
  generated::ObjectStoreInitRequest init;
  init.set_plugin(name);
  init.mutable_config()->insert(config.begin(), config.end());
  const auto first = [init, name, first_call_limit](PluginProcess& process, const std::stop_token& until) -> Status {
    TRY("", call_process(process, {name, "Init"}, &Stubs::object_store, &generated::ObjectStore::Stub::Init, init,
                         until, first_call_limit));
    return {};
  };
  TRY("", slot->prepare(first, stop));
  const auto bucket = config.find("bucket");
  return std::make_unique<PluginObjectStore>(std::move(slot), name, bucket == config.end() ? "" : bucket->second);
}

}  // namespace landfall::plugin
