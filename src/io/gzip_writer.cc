#include "io/gzip_writer.h"

#include <libdeflate.h>
#include <pthread.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/guarded.h"

namespace landfall::io {
namespace {

constexpr std::size_t kBlockSize = 1UL << 20U;
constexpr unsigned kMostWorkers = 8;
constexpr unsigned kBlocksPerWorker = 2;
constexpr int kLeastLevel = 1;
constexpr int kMostLevel = 12;

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};
using Compressor = std::unique_ptr<libdeflate_compressor, FreeCompressor>;

// A MiB of input on its way to be a member.
struct Block {
  std::string input;
  std::unique_ptr<char[]> output;
  std::size_t output_size = 0;  // 0: it could not be compressed, for want of memory
  bool done = false;            // under the queue's lock
};

// `room` is libdeflate's own bound for a block, so that only missing memory can make this fail.
void compress(libdeflate_compressor* compressor, std::size_t room, Block& block) {
  block.output_size = 0;
  if (compressor == nullptr) {
    return;
  }
  if (!block.output) {
    block.output = std::make_unique_for_overwrite<char[]>(room);
  }
  block.output_size =
      libdeflate_gzip_compress(compressor, block.input.data(), block.input.size(), block.output.get(), room);
}

unsigned worker_count(unsigned wanted) {
  return wanted > 0 ? wanted : std::clamp(std::thread::hardware_concurrency(), 1U, kMostWorkers);
}

}  // namespace

class GzipWriter::Pipeline {
 public:
  Pipeline(Writer& sink, GzipOptions options);

  Status write(std::string_view bytes);
  Status close();

 private:
  Status submit();
  Status write_out_oldest();
  Status flush();
  Status put(const Block& block);
  void start_workers();
  void work(const std::stop_token& stop);
  std::unique_ptr<Block> fresh_block();
  bool oldest_is_done() const;
  tl::unexpected<Error> broken(Error error);

  Writer& sink_;
  const int level_;
  const unsigned wanted_workers_;
  Compressor inline_compressor_;
  std::size_t output_room_ = 0;
  std::optional<Error> broken_;
  bool wrote_member_ = false;

  std::unique_ptr<Block> current_;
  std::deque<std::unique_ptr<Block>> in_flight_;  // oldest first; a worker holds a pointer until it is done
  std::vector<std::unique_ptr<Block>> spare_;
  Monitor<std::deque<Block*>> queue_;
  std::vector<std::jthread> workers_;  // last, so that they end first
};

GzipWriter::Pipeline::Pipeline(Writer& sink, GzipOptions options)
    : sink_(sink), level_(options.level), wanted_workers_(worker_count(options.workers)) {
  if (level_ < kLeastLevel || level_ > kMostLevel) {
    broken_ = Error(Code::kInvalid, "gzip: level " + std::to_string(level_) + " is not from 1 to 12");
    return;
  }
  inline_compressor_.reset(libdeflate_alloc_compressor(level_));
  if (!inline_compressor_) {
    broken_ = Error(Code::kInternal, "gzip: out of memory");
    return;
  }
  output_room_ = libdeflate_gzip_compress_bound(inline_compressor_.get(), kBlockSize);
  current_ = fresh_block();
}

Status GzipWriter::Pipeline::write(std::string_view bytes) {
  if (broken_) {
    return tl::unexpected(*broken_);
  }
  while (!bytes.empty()) {
    // A full block is sent off only when more comes: so one MiB or less stays in this thread.
    if (current_->input.size() == kBlockSize) {
      TRY("", submit());
    }
    const std::string_view piece = bytes.substr(0, kBlockSize - current_->input.size());
    current_->input.append(piece);
    bytes.remove_prefix(piece.size());
  }
  return {};
}

Status GzipWriter::Pipeline::close() {
  if (broken_) {
    return tl::unexpected(*broken_);
  }
  TRY("", flush());
  broken_ = Error(Code::kInternal, "gzip: used after close");
  return {};
}

Status GzipWriter::Pipeline::flush() {
  // The last block is this thread's share of the work.
  compress(inline_compressor_.get(), output_room_, *current_);
  while (!in_flight_.empty()) {
    TRY("", write_out_oldest());
  }
  if (!current_->input.empty() || !wrote_member_) {
    TRY("", put(*current_));
  }
  return {};
}

Status GzipWriter::Pipeline::submit() {
  start_workers();
  if (workers_.empty()) {
    compress(inline_compressor_.get(), output_room_, *current_);
    TRY("", put(*current_));
    current_->input.clear();
    return {};
  }
  in_flight_.push_back(std::move(current_));
  queue_.update([&](std::deque<Block*>& queue) { queue.push_back(in_flight_.back().get()); });
  while (in_flight_.size() >= kBlocksPerWorker * workers_.size() || oldest_is_done()) {
    TRY("", write_out_oldest());
  }
  current_ = fresh_block();
  return {};
}

bool GzipWriter::Pipeline::oldest_is_done() const {
  return !in_flight_.empty() && queue_.with([&](const auto&) { return in_flight_.front()->done; });
}

Status GzipWriter::Pipeline::write_out_oldest() {
  Block& oldest = *in_flight_.front();
  // Without a deadline: it waits for a computation of milliseconds, not for anything outside.
  queue_.wait_until(system_clock(), {}, kNever, [&](const auto&) { return oldest.done; });
  TRY("", put(oldest));
  spare_.push_back(std::move(in_flight_.front()));
  in_flight_.pop_front();
  return {};
}

Status GzipWriter::Pipeline::put(const Block& block) {
  if (block.output_size == 0) {
    return broken(Error(Code::kInternal, "gzip: out of memory"));
  }
  if (Status written = sink_.write({block.output.get(), block.output_size}); !written) {
    return broken(std::move(written).error());
  }
  wrote_member_ = true;
  return {};
}

tl::unexpected<Error> GzipWriter::Pipeline::broken(Error error) {
  broken_ = std::move(error);
  return tl::unexpected(*broken_);
}

std::unique_ptr<Block> GzipWriter::Pipeline::fresh_block() {
  if (spare_.empty()) {
    auto block = std::make_unique<Block>();
    return block;
  }
  auto block = std::move(spare_.back());
  spare_.pop_back();
  block->input.clear();
  block->done = false;
  return block;
}

void GzipWriter::Pipeline::start_workers() {
  try {
    while (workers_.size() < wanted_workers_) {
      workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // No more threads to be had: those there are, or this one alone, will do.
  }
}

void GzipWriter::Pipeline::work(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "gzip");
  const Compressor compressor(libdeflate_alloc_compressor(level_));
  while (true) {
    Block* block = nullptr;
    const bool got = queue_.wait_then(
        system_clock(), stop, kNever, [](const auto& queue) { return !queue.empty(); },
        [&](auto& queue) {
          block = queue.front();
          queue.pop_front();
        });
    if (!got || stop.stop_requested()) {
      return;
    }
    compress(compressor.get(), output_room_, *block);
    queue_.update([&](auto&) { block->done = true; });
  }
}

GzipWriter::GzipWriter(Writer& sink, GzipOptions options) : pipeline_(std::make_unique<Pipeline>(sink, options)) {}
GzipWriter::~GzipWriter() = default;
Status GzipWriter::write(std::string_view bytes) { return pipeline_->write(bytes); }
Status GzipWriter::close() { return pipeline_->close(); }

}  // namespace landfall::io
