#include <algorithm>
#include <array>
#include <span>

#include "plugin_kit/answer.h"
#include "plugin_kit/services.h"
#include "velero/object_store.grpc.pb.h"

namespace landfall::plugin_kit {
namespace {

// As Velero's own plugins cut what they send.
constexpr std::size_t kChunk = 16384;

// The bytes of a PutObject. A host that gives up ends the stream as one does that has sent everything: only the context
// knows which it was.
class PutReader final : public io::Reader {
 public:
  PutReader(grpc::ServerContext& context, grpc::ServerReader<generated::PutObjectRequest>& stream,
            generated::PutObjectRequest first)
      : context_(context), stream_(stream), piece_(std::move(first)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    while (position_ == piece_.body().size()) {
      position_ = 0;
      if (!is_ended_ && stream_.Read(&piece_)) continue;
      piece_.clear_body();
      if (is_given_up()) return fail(Code::kCancelled, "the host gave up before all bytes were there");
      return std::size_t{0};
    }
    const std::size_t size = std::min(buffer.size(), piece_.body().size() - position_);
    std::copy_n(piece_.body().data() + position_, size, buffer.data());
    position_ += size;
    return size;
  }

 private:
  // gRPC does not promise that why a stream has ended is known as soon as that it has. Both come from one event of the
  // connection: what is sent now is done with behind it.
  bool is_given_up() {
    if (!is_ended_) stream_.SendInitialMetadata();
    is_ended_ = true;
    return context_.IsCancelled();
  }

  grpc::ServerContext& context_;
  grpc::ServerReader<generated::PutObjectRequest>& stream_;
  generated::PutObjectRequest piece_;
  std::size_t position_ = 0;
  bool is_ended_ = false;
};

class Store final : public generated::ObjectStore::Service {
 public:
  explicit Store(Registry& registry) : registry_(registry) {}

  grpc::Status Init(grpc::ServerContext* context, const generated::ObjectStoreInitRequest* request,
                    generated::Empty* /*response*/) override {
    return answer(registry_, context, [&](const std::stop_token&) -> Status {
      TRY_ASSIGN(auto* const plugin, "", find_plugin(registry_.stores, request->plugin()));
      return (*plugin)->init({request->config().begin(), request->config().end()});
    });
  }

  grpc::Status PutObject(grpc::ServerContext* context, grpc::ServerReader<generated::PutObjectRequest>* stream,
                         generated::Empty* /*response*/) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      generated::PutObjectRequest first;
      if (!stream->Read(&first)) return fail(Code::kInvalid, "EOF: a stream without a message names no object");
      TRY_ASSIGN(const auto store, "", store_of(first.plugin()));
      const std::string key = first.key();
      PutReader reader(*context, *stream, std::move(first));
      return store->put(key, extension::StreamSource(reader), {}, stop);
    });
  }

  grpc::Status ObjectExists(grpc::ServerContext* context, const generated::ObjectExistsRequest* request,
                            generated::ObjectExistsResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto store, "", store_of(request->plugin()));
      TRY_ASSIGN(const bool exists, "", store->exists(request->key(), stop));
      response->set_exists(exists);
      return {};
    });
  }

  grpc::Status GetObject(grpc::ServerContext* context, const generated::GetObjectRequest* request,
                         grpc::ServerWriter<generated::Bytes>* stream) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto store, "", store_of(request->plugin()));
      TRY_ASSIGN(const auto reader, "", store->get(request->key(), stop));
      std::array<char, kChunk> buffer{};
      generated::Bytes piece;
      while (true) {
        TRY_ASSIGN(const std::size_t size, "", reader->read(buffer));
        if (size == 0) return {};
        piece.set_data(buffer.data(), size);
        if (!stream->Write(piece)) return fail(Code::kCancelled, "the host has stopped to listen");
      }
    });
  }

  grpc::Status ListCommonPrefixes(grpc::ServerContext* context, const generated::ListCommonPrefixesRequest* request,
                                  generated::ListCommonPrefixesResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto store, "", store_of(request->plugin()));
      if (request->delimiter() != "/") return fail(Code::kUnsupported, "only \"/\" is a delimiter here");
      TRY_ASSIGN(const std::vector<std::string> folders, "", store->folders(request->prefix(), stop));
      for (const std::string& folder : folders) response->add_prefixes(folder);
      return {};
    });
  }

  grpc::Status ListObjects(grpc::ServerContext* context, const generated::ListObjectsRequest* request,
                           generated::ListObjectsResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto store, "", store_of(request->plugin()));
      const auto add = [&](const extension::ObjectInfo& object) {
        response->add_keys(object.key);
        return Status();
      };
      return store->list(request->prefix(), add, stop);
    });
  }

  grpc::Status DeleteObject(grpc::ServerContext* context, const generated::DeleteObjectRequest* request,
                            generated::Empty* /*response*/) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto store, "", store_of(request->plugin()));
      const std::array<std::string, 1> keys = {request->key()};
      return store->remove(keys, stop);
    });
  }

  grpc::Status CreateSignedURL(grpc::ServerContext* context, const generated::CreateSignedURLRequest* request,
                               generated::CreateSignedURLResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const auto store, "", store_of(request->plugin()));
      const auto valid_for = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::nanoseconds(request->ttl()));
      TRY_ASSIGN(const std::string url, "", store->signed_url(request->key(), valid_for, stop));
      response->set_url(url);
      return {};
    });
  }

 private:
  Result<std::shared_ptr<extension::ObjectStore>> store_of(const std::string& name) {
    TRY_ASSIGN(const auto* const plugin, "", find_plugin(registry_.stores, name));
    return (*plugin)->get();
  }

  Registry& registry_;
};

}  // namespace

void add_object_store_service(Registry& registry, Services& services) {
  if (!registry.stores.empty()) services.push_back(std::make_unique<Store>(registry));
}

}  // namespace landfall::plugin_kit
