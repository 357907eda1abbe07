#include "uploader_program/patience.h"

namespace landfall::uploader_program {

void Patience::complains(std::string_view what) {
  if (complaint_.empty()) since_first_ = {};
  since_last_ = {};
  complaint_ = what.empty() ? "an attempt failed" : what;
}

void Patience::has_done(ByteCount done) {
  if (done <= done_) return;
  done_ = done;
  complaint_.clear();
}

void Patience::tick() {
  if (complaint_.empty() || lost_) return;
  since_first_ += tick_;
  since_last_ += tick_;
  if (since_last_ >= kSilence) {
    complaint_.clear();
  } else if (since_first_ >= limit_) {
    lost_ = complaint_;
  }
}

}  // namespace landfall::uploader_program
