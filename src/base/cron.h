#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace landfall {

// When a Schedule is due. The language and the times are those of robfig/cron's ParseStandard, which Velero uses:
//
//   minute hour day-of-month month day-of-week      each a list of  *  ?  N  N-M  with an optional /STEP;
//                                                   jan…dec and sun…sat (0…6) in any case; N/STEP means N-max/STEP
//   @yearly @annually @monthly @weekly @daily @midnight @hourly
//   @every DURATION                                 a Go duration; whole seconds, at least one
//
// A day matches if both day fields do; when neither is a star, if either does ("0 0 13 * fri" is every 13th and every
// Friday). `CRON_TZ=Europe/Berlin ` or `TZ=… ` in front sets the zone, which is UTC otherwise.
//
// An immutable value, cheap to copy. Thread-safe.
class CronSchedule {
 public:
  // kInvalid names the field and the text that is wrong, or the zone that is not known.
  static Result<CronSchedule> parse(std::string_view text);

  // The first moment after `after`, on a whole second. None if there is none in this and the next five years, as for
  // the 30th of February.
  // An hour that a clock change skips does not happen that day; an hour that comes twice can match twice.
  std::optional<WallTime> next(WallTime after) const;

 private:
  struct Rule;
  explicit CronSchedule(std::shared_ptr<const Rule> rule) : rule_(std::move(rule)) {}

  std::shared_ptr<const Rule> rule_;
};

}  // namespace landfall
