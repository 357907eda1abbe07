#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "extension/object_store.h"
#include "store/store_operation.h"

namespace landfall::store {

// A store that breaks as a test tells it to, for tests of what stands above. Thread-safe.
class FaultyStore final : public extension::ObjectStore {
 public:
  // Whether a call that fails has done its work all the same.
  enum class Effect { kNone, kDone };

  explicit FaultyStore(std::unique_ptr<ObjectStore> inner) : inner_(std::move(inner)) {}

  // The nth call of that operation from now on fails, counted from 1.
  void fail_call(StoreOperation operation, int nth, Error error, Effect effect = Effect::kNone) {
    plan_.with([&](Plan& plan) {
      plan.faults.push_back({.operation = operation,
                             .at = plan.calls[index(operation)] + nth,
                             .error = std::move(error),
                             .effect = effect});
    });
  }
  // Every nth call of any operation fails before it has done anything.
  void fail_every(int nth, Error error) {
    plan_.with([&](Plan& plan) { plan.every = {nth, std::move(error)}; });
  }
  // From now on readers of objects, or of what is stored, fail with kUnavailable behind so many bytes.
  void cut_reads(std::uint64_t after) {
    plan_.with([&](Plan& plan) { plan.cut_reads = after; });
  }
  void cut_writes(std::uint64_t after) {
    plan_.with([&](Plan& plan) { plan.cut_writes = after; });
  }
  // How often it was called, failures included.
  int calls(StoreOperation operation) const {
    return plan_.with([&](const Plan& plan) { return plan.calls[index(operation)]; });
  }

  extension::StoreCapabilities capabilities() const override { return inner_->capabilities(); }

  Status put(std::string_view key, const extension::ObjectSource& source, const extension::PutOptions& options,
             const std::stop_token& stop) override {
    const auto cut = plan_.with([](const Plan& plan) { return plan.cut_writes; });
    return call(StoreOperation::kPut, [&] { return inner_->put(key, CutSource(source, cut), options, stop); });
  }
  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override {
    const auto cut = plan_.with([](const Plan& plan) { return plan.cut_reads; });
    return call(StoreOperation::kGet, [&] { return CutReader::over(inner_->get(key, stop), cut); });
  }
  Result<bool> exists(std::string_view key, const std::stop_token& stop) override {
    return call(StoreOperation::kExists, [&] { return inner_->exists(key, stop); });
  }
  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override {
    return call(StoreOperation::kList, [&] { return inner_->list(prefix, visit, stop); });
  }
  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override {
    return call(StoreOperation::kFolders, [&] { return inner_->folders(prefix, stop); });
  }
  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override {
    return call(StoreOperation::kRemove, [&] { return inner_->remove(keys, stop); });
  }
  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& stop) override {
    return call(StoreOperation::kSign, [&] { return inner_->signed_url(key, valid_for, stop); });
  }

  Result<std::size_t> sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) override {
    return inner_->sweep(prefix, begun_before, stop);
  }

 private:
  using Cut = std::optional<std::uint64_t>;  // behind so many bytes; nowhere when there is none

  struct Fault {
    StoreOperation operation;
    int at;
    Error error;
    Effect effect;
  };
  struct Plan {
    std::array<int, kStoreOperations> calls{};
    int all_calls = 0;
    std::vector<Fault> faults;
    std::optional<std::pair<int, Error>> every;
    Cut cut_reads;
    Cut cut_writes;
  };

  class CutReader final : public io::Reader {
   public:
    CutReader(std::unique_ptr<io::Reader> inner, std::uint64_t left) : inner_(std::move(inner)), left_(left) {}
    static Result<std::unique_ptr<io::Reader>> over(Result<std::unique_ptr<io::Reader>> reader, Cut cut) {
      if (!reader || !cut) return reader;
      return std::make_unique<CutReader>(*std::move(reader), *cut);
    }
    Result<std::size_t> read(std::span<char> buffer) override {
      if (left_ == 0) return fail(Code::kUnavailable, "connection cut");
      auto got = inner_->read(buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), left_))));
      if (got) left_ -= *got;
      return got;
    }

   private:
    std::unique_ptr<io::Reader> inner_;
    std::uint64_t left_;
  };

  class CutSource final : public extension::ObjectSource {
   public:
    CutSource(const ObjectSource& inner, Cut cut) : inner_(inner), cut_(cut) {}
    Result<std::unique_ptr<io::Reader>> open() const override { return CutReader::over(inner_.open(), cut_); }
    std::optional<std::uint64_t> size() const override { return inner_.size(); }

   private:
    const ObjectSource& inner_;
    const Cut cut_;
  };

  static std::size_t index(StoreOperation operation) { return static_cast<std::size_t>(operation); }

  // Counts the call and takes the fault that is due, if one is.
  std::optional<Fault> next_fault(StoreOperation operation) {
    return plan_.with([&](Plan& plan) -> std::optional<Fault> {
      const int count = ++plan.calls[index(operation)];
      ++plan.all_calls;
      const auto due = std::ranges::find_if(
          plan.faults, [&](const Fault& fault) { return fault.operation == operation && fault.at == count; });
      if (due != plan.faults.end()) return *due;
      if (plan.every && plan.all_calls % plan.every->first == 0) {
        return Fault{.operation = operation, .at = count, .error = plan.every->second, .effect = Effect::kNone};
      }
      return std::nullopt;
    });
  }

  template <class Run>
  auto call(StoreOperation operation, const Run& run) -> decltype(run()) {
    const std::optional<Fault> fault = next_fault(operation);
    if (!fault) return run();
    if (fault->effect == Effect::kDone) {
      auto done = run();
      if (!done) return done;
    }
    return tl::unexpected(fault->error);
  }

  const std::unique_ptr<ObjectStore> inner_;
  Guarded<Plan> plan_;
};

}  // namespace landfall::store
