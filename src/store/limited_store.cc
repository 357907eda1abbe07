#include "store/limited_store.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"

namespace landfall::store {
namespace {

using extension::ObjectSource;
using extension::PutOptions;

using Places = Monitor<int>;  // how many are free

// One of the places, given back when it goes.
class Place {
 public:
  explicit Place(std::shared_ptr<Places> places) : places_(std::move(places)) {}
  Place(Place&&) noexcept = default;
  Place& operator=(Place&&) = delete;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (places_) places_->update([](int& free) { ++free; });
  }

 private:
  std::shared_ptr<Places> places_;
};

class PlacedReader final : public io::Reader {
 public:
  PlacedReader(Place place, std::unique_ptr<io::Reader> inner) : place_(std::move(place)), inner_(std::move(inner)) {}
  Result<std::size_t> read(std::span<char> buffer) override { return inner_->read(buffer); }

 private:
  const Place place_;  // given back after the reader is gone
  const std::unique_ptr<io::Reader> inner_;
};

class LimitedStore final : public extension::ObjectStore {
 public:
  LimitedStore(std::unique_ptr<ObjectStore> inner, int most, Clock& clock)
      : inner_(std::move(inner)), places_(std::make_shared<Places>(std::max(most, 1))), clock_(clock) {}

  extension::StoreCapabilities capabilities() const override { return inner_->capabilities(); }

  Status put(std::string_view key, const ObjectSource& source, const PutOptions& options,
             const std::stop_token& stop) override {
    TRY_ASSIGN(const Place place, "put", take_place(stop));
    return inner_->put(key, source, options, stop);
  }

  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override {
    TRY_ASSIGN(Place place, "get", take_place(stop));
    TRY_ASSIGN(auto reader, "", inner_->get(key, stop));
    return std::make_unique<PlacedReader>(std::move(place), std::move(reader));
  }

  Result<bool> exists(std::string_view key, const std::stop_token& stop) override {
    TRY_ASSIGN(const Place place, "exists", take_place(stop));
    return inner_->exists(key, stop);
  }

  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override {
    TRY_ASSIGN(const Place place, "list", take_place(stop));
    return inner_->list(prefix, visit, stop);
  }

  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override {
    TRY_ASSIGN(const Place place, "folders", take_place(stop));
    return inner_->folders(prefix, stop);
  }

  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override {
    TRY_ASSIGN(const Place place, "remove", take_place(stop));
    return inner_->remove(keys, stop);
  }

  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& stop) override {
    TRY_ASSIGN(const Place place, "sign", take_place(stop));
    return inner_->signed_url(key, valid_for, stop);
  }

  Result<std::size_t> sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) override {
    return inner_->sweep(prefix, begun_before, stop);
  }

 private:
  Result<Place> take_place(const std::stop_token& stop) const {
    const bool taken =
        places_->wait_then(clock_, stop, kNever, [](int free) { return free > 0; }, [](int& free) { --free; });
    if (!taken) return fail(Code::kCancelled, "stopped while other calls to the object store were under way");
    return Place(places_);
  }

  const std::unique_ptr<ObjectStore> inner_;
  const std::shared_ptr<Places> places_;
  Clock& clock_;
};

}  // namespace

std::unique_ptr<extension::ObjectStore> make_limited_store(std::unique_ptr<extension::ObjectStore> inner, int most,
                                                           Clock& clock) {
  return std::make_unique<LimitedStore>(std::move(inner), most, clock);
}

}  // namespace landfall::store
