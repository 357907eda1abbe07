#include "store/retrying_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/go_duration.h"
#include "store/store_operation.h"

namespace landfall::store {
namespace {

using extension::ObjectInfo;
using extension::ObjectSource;
using extension::PutOptions;

// Finds out whether a source can be opened again by doing it, and keeps that reader for the next attempt.
class RepeatedSource final : public ObjectSource {
 public:
  explicit RepeatedSource(const ObjectSource& source) : source_(source) {}

  Result<std::unique_ptr<io::Reader>> open() const override {
    was_opened_ = true;
    if (next_) return std::move(next_);
    return source_.open();
  }
  std::optional<std::uint64_t> size() const override { return source_.size(); }

  bool can_be_sent_again() {
    if (!was_opened_) return true;
    auto reader = source_.open();
    if (!reader) return false;
    next_ = *std::move(reader);
    was_opened_ = false;
    return true;
  }

 private:
  const ObjectSource& source_;
  mutable bool was_opened_ = false;
  mutable std::unique_ptr<io::Reader> next_;
};

bool always(const Error& /*error*/) { return true; }

class RetryingStore final : public extension::ObjectStore {
 public:
  RetryingStore(std::unique_ptr<ObjectStore> inner, const RetryOptions& options, Clock& clock, Random& random,
                Logger log)
      : inner_(std::move(inner)), options_(options), clock_(clock), random_(random), log_(std::move(log)) {}

  extension::StoreCapabilities capabilities() const override { return inner_->capabilities(); }

  Status put(std::string_view key, const ObjectSource& source, const PutOptions& options,
             const std::stop_token& stop) override {
    RepeatedSource repeated(source);
    const auto is_safe = [&](const Error& error) {
      if (options.if_absent && error.code() != Code::kThrottled) return false;
      return repeated.can_be_sent_again();
    };
    return retry(StoreOperation::kPut, key, stop, [&] { return inner_->put(key, repeated, options, stop); }, is_safe);
  }

  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override {
    return retry(StoreOperation::kGet, key, stop, [&] { return inner_->get(key, stop); });
  }

  Result<bool> exists(std::string_view key, const std::stop_token& stop) override {
    return retry(StoreOperation::kExists, key, stop, [&] { return inner_->exists(key, stop); });
  }

  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override {
    std::string last;
    bool visitor_failed = false;
    const auto go_on = [&](const ObjectInfo& info) -> Status {
      if (info.key <= last) return {};
      last = info.key;
      Status visited = visit(info);
      visitor_failed = !visited;
      return visited;
    };
    return retry(
        StoreOperation::kList, prefix, stop, [&] { return inner_->list(prefix, go_on, stop); },
        [&](const Error&) { return !visitor_failed; });
  }

  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override {
    return retry(StoreOperation::kFolders, prefix, stop, [&] { return inner_->folders(prefix, stop); });
  }

  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override {
    const std::string_view first = keys.empty() ? std::string_view() : keys.front();
    return retry(StoreOperation::kRemove, first, stop, [&] { return inner_->remove(keys, stop); });
  }

  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& stop) override {
    return retry(StoreOperation::kSign, key, stop, [&] { return inner_->signed_url(key, valid_for, stop); });
  }

  Result<std::size_t> sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) override {
    return inner_->sweep(prefix, begun_before, stop);
  }

 private:
  // `is_safe` is asked only about faults that may pass.
  template <class Run, class IsSafe = decltype(&always)>
  auto retry(StoreOperation operation, std::string_view key, const std::stop_token& stop, const Run& run,
             const IsSafe& is_safe = always) const -> decltype(run()) {
    Backoff backoff(options_.backoff, random_);
    while (true) {
      auto result = run();
      if (result || !is_retryable(result.error().code())) return result;
      const int attempts = backoff.attempts() + 1;
      if (attempts >= options_.attempts) return fail(tried(attempts), std::move(result).error());
      if (!is_safe(result.error())) return result;
      const Duration delay = backoff.next();
      log_.info("object store call is tried again", {{"operation", to_string(operation)},
                                                     {"key", key},
                                                     {"delay", format_go_duration(delay)},
                                                     LogField(result.error())});
      if (!clock_.sleep_for(delay, stop)) {
        return fail(Code::kCancelled, "stopped before it was tried again: " + result.error().message());
      }
    }
  }

  static std::string tried(int attempts) { return attempts > 1 ? fmt::format("tried {} times", attempts) : ""; }

  const std::unique_ptr<ObjectStore> inner_;
  const RetryOptions options_;
  Clock& clock_;
  Random& random_;
  const Logger log_;
};

}  // namespace

std::unique_ptr<extension::ObjectStore> make_retrying_store(std::unique_ptr<extension::ObjectStore> inner,
                                                            const RetryOptions& options, Clock& clock, Random& random,
                                                            const Logger& log) {
  return std::make_unique<RetryingStore>(std::move(inner), options, clock, random, log);
}

}  // namespace landfall::store
