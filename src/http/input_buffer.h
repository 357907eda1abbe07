#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace landfall::http {

// Internal to the module. Bytes that were read and not yet understood; takes memory only while it holds some or waits
// for some.
class InputBuffer {
 public:
  std::string_view view() const { return {data_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }

  // Room for at least `room` more bytes, to be read into; what is there moves only here.
  std::span<char> prepare(std::size_t room) {
    if (empty()) begin_ = end_ = 0;
    if (capacity_ - end_ < room) reallocate(room);
    return {data_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t read) { end_ += read; }
  void consume(std::size_t bytes) { begin_ += bytes; }
  void clear() { begin_ = end_ = 0; }

  // Gives the memory back when nothing is in it.
  void trim() {
    if (!empty()) return;
    data_.reset();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  void reallocate(std::size_t room) {
    const std::size_t held = size();
    if (capacity_ >= held + room && begin_ >= held) {  // moving is cheaper, and never more than once a byte
      std::memcpy(data_.get(), data_.get() + begin_, held);
    } else {
      const std::size_t wanted = std::max(held * 2, held + room);
      auto larger = std::make_unique_for_overwrite<char[]>(wanted);
      if (held > 0) std::memcpy(larger.get(), data_.get() + begin_, held);
      data_ = std::move(larger);
      capacity_ = wanted;
    }
    begin_ = 0;
    end_ = held;
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace landfall::http
