#include "store/observed_store.h"

#include <optional>
#include <utility>

namespace landfall::store {
namespace {

using extension::ObjectInfo;
using extension::ObjectSource;
using extension::PutOptions;

// Adds up what is read.
class CountingReader final : public io::Reader {
 public:
  CountingReader(std::unique_ptr<io::Reader> inner, std::uint64_t& count) : inner_(std::move(inner)), count_(count) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    auto got = inner_->read(buffer);
    if (got) count_ += *got;
    return got;
  }

 private:
  const std::unique_ptr<io::Reader> inner_;
  std::uint64_t& count_;
};

class CountingSource final : public ObjectSource {
 public:
  CountingSource(const ObjectSource& inner, std::uint64_t& count) : inner_(inner), count_(count) {}

  Result<std::unique_ptr<io::Reader>> open() const override {
    TRY_ASSIGN(auto reader, "", inner_.open());
    count_ = 0;
    return std::make_unique<CountingReader>(std::move(reader), count_);
  }
  std::optional<std::uint64_t> size() const override { return inner_.size(); }

 private:
  const ObjectSource& inner_;
  std::uint64_t& count_;
};

// The second half of a get: tells of it at its end.
class ObservedReader final : public io::Reader {
 public:
  ObservedReader(std::unique_ptr<io::Reader> inner, std::string key, Duration so_far,
                 std::shared_ptr<StoreObserver> observer, const Clock& clock)
      : inner_(std::move(inner)),
        key_(std::move(key)),
        duration_(so_far),
        observer_(std::move(observer)),
        clock_(clock) {}
  ObservedReader(const ObservedReader&) = delete;
  ObservedReader& operator=(const ObservedReader&) = delete;
  ~ObservedReader() override {
    observer_->on_call({.operation = StoreOperation::kGet,
                        .key = key_,
                        .objects = 1,
                        .bytes = bytes_,
                        .duration = duration_,
                        .error = error_ ? &*error_ : nullptr});
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    const SteadyTime start = clock_.now();
    auto got = inner_->read(buffer);
    duration_ += clock_.now() - start;
    if (got) {
      bytes_ += *got;
    } else {
      error_ = got.error();
    }
    return got;
  }

 private:
  const std::unique_ptr<io::Reader> inner_;
  const std::string key_;
  Duration duration_;
  const std::shared_ptr<StoreObserver> observer_;
  const Clock& clock_;
  std::uint64_t bytes_ = 0;
  std::optional<Error> error_;
};

class ObservedStore final : public extension::ObjectStore {
 public:
  ObservedStore(std::unique_ptr<ObjectStore> inner, std::shared_ptr<StoreObserver> observer, const Clock& clock)
      : inner_(std::move(inner)), observer_(std::move(observer)), clock_(clock) {}

  extension::StoreCapabilities capabilities() const override { return inner_->capabilities(); }

  Status put(std::string_view key, const ObjectSource& source, const PutOptions& options,
             const std::stop_token& stop) override {
    return observe({.operation = StoreOperation::kPut, .key = key}, [&](StoreCall& call) {
      return inner_->put(key, CountingSource(source, call.bytes), options, stop);
    });
  }

  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override {
    const SteadyTime start = clock_.now();
    auto reader = inner_->get(key, stop);
    const Duration duration = clock_.now() - start;
    if (!reader) {
      observer_->on_call(
          {.operation = StoreOperation::kGet, .key = key, .duration = duration, .error = &reader.error()});
      return reader;
    }
    return std::make_unique<ObservedReader>(*std::move(reader), std::string(key), duration, observer_, clock_);
  }

  Result<bool> exists(std::string_view key, const std::stop_token& stop) override {
    return observe({.operation = StoreOperation::kExists, .key = key}, [&](StoreCall& call) {
      auto found = inner_->exists(key, stop);
      call.objects = found && *found ? 1 : 0;
      return found;
    });
  }

  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override {
    return observe({.operation = StoreOperation::kList, .key = prefix}, [&](StoreCall& call) {
      const auto counted = [&](const ObjectInfo& info) {
        ++call.objects;
        return visit(info);
      };
      return inner_->list(prefix, counted, stop);
    });
  }

  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override {
    return observe({.operation = StoreOperation::kFolders, .key = prefix}, [&](StoreCall& call) {
      auto names = inner_->folders(prefix, stop);
      if (names) call.objects = names->size();
      return names;
    });
  }

  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override {
    const std::string_view first = keys.empty() ? std::string_view() : keys.front();
    return observe({.operation = StoreOperation::kRemove, .key = first, .objects = keys.size()},
                   [&](StoreCall&) { return inner_->remove(keys, stop); });
  }

  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& stop) override {
    return observe({.operation = StoreOperation::kSign, .key = key},
                   [&](StoreCall&) { return inner_->signed_url(key, valid_for, stop); });
  }

  Result<std::size_t> sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) override {
    return inner_->sweep(prefix, begun_before, stop);
  }

 private:
  template <class Run>
  auto observe(StoreCall call, const Run& run) const -> decltype(run(call)) {
    const SteadyTime start = clock_.now();
    auto result = run(call);
    call.duration = clock_.now() - start;
    call.error = result ? nullptr : &result.error();
    observer_->on_call(call);
    return result;
  }

  const std::unique_ptr<ObjectStore> inner_;
  const std::shared_ptr<StoreObserver> observer_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<extension::ObjectStore> make_observed_store(std::unique_ptr<extension::ObjectStore> inner,
                                                            std::shared_ptr<StoreObserver> observer,
                                                            const Clock& clock) {
  return std::make_unique<ObservedStore>(std::move(inner), std::move(observer), clock);
}

}  // namespace landfall::store
