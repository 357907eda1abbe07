#pragma once

#include <string>
#include <string_view>

namespace landfall::uploader_program {

// The last lines that a program said, for an error; memory is bounded.
class LastWords {
 public:
  void add(std::string_view line) {
    if (line.empty()) return;
    text_.append(line.substr(0, kMost)).append("\n");
    if (text_.size() > kMost) text_.erase(0, text_.size() - kMost);
  }
  const std::string& text() const { return text_; }
  // From the last such word on; all of it where there is none.
  std::string from_last(std::string_view word) const {
    const std::size_t at = text_.rfind(word);
    return at == std::string::npos ? text_ : text_.substr(at);
  }

 private:
  static constexpr std::size_t kMost = 4096;
  std::string text_;
};

}  // namespace landfall::uploader_program
