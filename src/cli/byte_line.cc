#include "cli/byte_line.h"

#include <chrono>
#include <optional>
#include <string>

#include "progress/format.h"

namespace landfall::cli {
namespace {

constexpr Duration kRedraw = std::chrono::milliseconds(200);
constexpr int kBarWidth = 30;
constexpr Duration kLastWord = std::chrono::seconds(1);

}  // namespace

ByteLine::ByteLine(const Context& context)
    : context_(context), line_(context.err, context.err_terminal, context.clock), reporter_(context.clock, Logger()) {
  reporter_.subscribe(
      "terminal", [this](const progress::ByteProgress& now, const std::stop_token&) { return draw(now); }, kRedraw);
  reporter_.start();
}

void ByteLine::total(ByteCount bytes) {
  if (bytes != ByteCount()) reporter_.total(bytes);
}

ByteLine::~ByteLine() {
  // Progress is advisory: what the command found out counts, whether or not the last line could be drawn.
  const SteadyTime deadline = context_.clock.after(kLastWord);
  static_cast<void>(is_complete_ ? reporter_.finish(std::nullopt, deadline, context_.stop)
                                 : reporter_.abandon(deadline, context_.stop));
  static_cast<void>(line_.clear());
}

Status ByteLine::draw(const progress::ByteProgress& now) {
  const std::string text = progress::format_line(now, context_.clock.wall_now());
  if (!context_.err_terminal.is_terminal || !now.bytes.total) return line_.show(text);
  const std::string bar = progress::format_bar(now.bytes.done.count(), now.bytes.total->count(), kBarWidth);
  return line_.show(bar + " " + text);
}

}  // namespace landfall::cli
