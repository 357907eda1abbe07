#include "io/gzip_reader.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <string>

namespace landfall::io {
namespace {

constexpr std::size_t kInputSize = 128UL * 1024;
constexpr int kWindowBits = MAX_WBITS + 16;  // + 16: gzip with its checks, nothing else
constexpr std::array<unsigned char, 2> kMagic = {0x1f, 0x8b};

}  // namespace

void GzipReader::EndInflate::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  std::default_delete<z_stream_s>()(stream);
}

GzipReader::GzipReader(Reader& source, GzipLimits limits)
    : source_(source), limits_(limits), stream_(std::make_unique<z_stream_s>().release()), input_(kInputSize) {
  if (inflateInit2(stream_.get(), kWindowBits) != Z_OK) {
    broken_ = Error(Code::kInternal, "gzip: out of memory");
  }
}

GzipReader::~GzipReader() = default;

std::uint64_t GzipReader::consumed() const { return taken_ - stream_->avail_in; }

Result<std::size_t> GzipReader::read(std::span<char> buffer) {
  if (broken_) {
    return tl::unexpected(*broken_);
  }
  auto got = decompress(buffer.first(std::min<std::size_t>(buffer.size(), UINT_MAX)));
  if (!got) {
    broken_ = got.error();
  }
  return got;
}

Result<std::size_t> GzipReader::decompress(std::span<char> buffer) {
  while (!ended_ && !buffer.empty()) {
    if (!in_member_) {
      TRY_ASSIGN(in_member_, "", begin_member());
      ended_ = !in_member_;
      continue;
    }
    stream_->next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_->avail_out = static_cast<uInt>(buffer.size());
    const int result = inflate(stream_.get(), Z_NO_FLUSH);
    const std::size_t got = buffer.size() - stream_->avail_out;
    produced_ += got;
    TRY("", check_limits());
    if (result == Z_STREAM_END) {
      in_member_ = false;
      ++members_;
    } else if (result == Z_MEM_ERROR) {
      return failure(Code::kInternal, "out of memory");
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return failure(Code::kDataLoss, std::string("damaged: ") + (stream_->msg != nullptr ? stream_->msg : "bad data"));
    }
    if (got > 0) {
      return got;
    }
    if (in_member_ && stream_->avail_in == 0) {
      TRY("", refill());
      if (source_ended_) {
        return failure(Code::kDataLoss, "cut: the data ends inside a member");
      }
    }
  }
  return std::size_t{0};
}

// False at the proper end of the data.
Result<bool> GzipReader::begin_member() {
  while (stream_->avail_in < kMagic.size() && !source_ended_) {
    TRY("", refill());
  }
  if (stream_->avail_in == 0) {
    if (members_ == 0) {
      return failure(Code::kDataLoss, "empty: gzip data has at least 18 bytes");
    }
    return false;
  }
  if (std::memcmp(stream_->next_in, kMagic.data(), std::min<std::size_t>(kMagic.size(), stream_->avail_in)) != 0) {
    return failure(Code::kDataLoss, members_ == 0 ? "not gzip data" : "something that is not gzip follows the end");
  }
  inflateReset(stream_.get());
  return true;
}

// Adds to the input what the source has next. What is left of it is at most one byte of a mark.
Status GzipReader::refill() {
  const std::size_t left = stream_->avail_in;
  if (left > 0) {
    std::memmove(input_.data(), stream_->next_in, left);
  }
  TRY_ASSIGN(const std::size_t got, "", source_.read(std::span(input_).subspan(left)));
  taken_ += got;
  source_ended_ = got == 0;
  stream_->next_in = reinterpret_cast<Bytef*>(input_.data());
  stream_->avail_in = static_cast<uInt>(left + got);
  return {};
}

Status GzipReader::check_limits() const {
  if (produced_ > limits_.output) {
    return failure(Code::kTooLarge, "more than " + std::to_string(limits_.output) + " bytes when uncompressed");
  }
  if (limits_.ratio > 0 && produced_ > limits_.ratio_from && produced_ / limits_.ratio > consumed()) {
    return failure(Code::kTooLarge, "uncompressed it is more than " + std::to_string(limits_.ratio) +
                                        " times its size: this looks like a decompression bomb");
  }
  return {};
}

tl::unexpected<Error> GzipReader::failure(Code code, std::string_view what) const {
  return fail(code, "gzip offset " + std::to_string(consumed()) + ": " + std::string(what));
}

}  // namespace landfall::io
