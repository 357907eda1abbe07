#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/clock.h"

namespace landfall::uploader_program {

// Says when a program is to be ended that cannot reach its storage and only tries again, as restic does for a quarter
// of an hour. A hiccup is none: whatever gets through, or a while without complaints, starts anew.
//
// Time passes by ticks, of the length that is given. One thread.
class Patience {
 public:
  Patience(Duration limit, Duration tick) : limit_(limit), tick_(tick) {}

  // An attempt failed.
  void complains(std::string_view what);
  // How far it is, as often as it is known.
  void has_done(ByteCount done);
  void tick();

  // What it complained of last, once it has done nothing else for too long.
  const std::optional<std::string>& lost() const { return lost_; }

 private:
  // Programs wait longer from try to try, restic up to a minute.
  static constexpr Duration kSilence = std::chrono::seconds(90);

  const Duration limit_;
  const Duration tick_;
  ByteCount done_;
  std::string complaint_;  // empty: all is well
  Duration since_first_{};
  Duration since_last_{};
  std::optional<std::string> lost_;
};

}  // namespace landfall::uploader_program
