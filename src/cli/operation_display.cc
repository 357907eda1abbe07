#include "cli/operation_display.h"

#include <chrono>
#include <optional>
#include <string>

#include "cli/operation_view.h"
#include "cli/operation_words.h"
#include "json/json.h"
#include "json/parse.h"
#include "terminal/live_block.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

namespace {

// Velero's: a text, and a dot each second. Scripts may look at both.
class VeleroDots final : public OperationDisplay {
 public:
  explicit VeleroDots(const Context& context) : context_(context) {}

  Status show(const OperationState& state) override {
    if (!next_) {
      const std::string word(noun_of(*state.operation).word);
      next_ = context_.clock.after(kSecond);
      return context_.out.write("Waiting for " + word +
                                " to complete. You may safely press ctrl-c to stop waiting - your " + word +
                                " will continue in the background.\n");
    }
    if (context_.clock.now() < *next_) return {};
    next_ = context_.clock.after(kSecond);
    return context_.out.write(".");
  }
  Status end() override { return next_ ? context_.out.write("\n") : Status(); }
  Duration refresh() const override { return kSecond; }
  FeedOptions wants() const override { return {.has_volumes = false, .has_messages = false, .has_notices = false}; }

 private:
  static constexpr Duration kSecond = std::chrono::seconds(1);
  const Context& context_;
  std::optional<SteadyTime> next_;  // dot; none before the text
};

// One document for each change, for programs.
class JsonLines final : public OperationDisplay {
 public:
  explicit JsonLines(const Context& context) : context_(context) {}

  Status show(const OperationState& state) override {
    Json document = view_document(state, context_.clock.wall_now());
    std::string line = json::dump(document);
    document.erase("time");
    if (document == last_) return {};
    last_ = std::move(document);
    return context_.out.write(line + "\n");
  }
  Duration refresh() const override { return std::chrono::minutes(1); }

 private:
  const Context& context_;
  Json last_;
};

class LiveLines final : public OperationDisplay {
 public:
  LiveLines(bool has_colors, const Context& context) : context_(context), block_(has_colors) {}

  Status begin() override { return context_.err.write("Ctrl-c stops the watching, not the operation.\n"); }
  Status show(const OperationState& state) override {
    const terminal::Terminal size = context_.look_again ? context_.look_again() : context_.err_terminal;
    const auto lines = view_lines(view_of(state, context_), context_.clock.wall_now(), size.columns);
    return write(block_.show(lines, size));
  }
  Status end() override { return write(block_.clear()); }
  Duration refresh() const override { return std::chrono::milliseconds(250); }

 private:
  Status write(const std::string& bytes) { return bytes.empty() ? Status() : context_.err.write(bytes); }

  const Context& context_;
  terminal::LiveBlock block_;
};

// For logs. A notice does not wait for its turn: somebody has to do something.
class PlainLines final : public OperationDisplay {
 public:
  explicit PlainLines(const Context& context) : context_(context), next_(context.clock.after(kInterval)) {}

  Status show(const OperationState& state) override {
    text_ = terminal::printable(view_text(view_of(state, context_), context_.clock.wall_now()));
    const bool is_urgent = !state.notice.empty() && state.notice != notice_;
    notice_ = state.notice;
    return is_urgent || context_.clock.now() >= next_ ? write() : Status();
  }
  Status end() override { return text_ == written_ ? Status() : write(); }
  Duration refresh() const override { return kInterval; }
  FeedOptions wants() const override { return {.has_messages = false}; }

 private:
  Status write() {
    next_ = context_.clock.after(kInterval);
    written_ = text_;
    return context_.err.write(text_ + "\n");
  }

  static constexpr Duration kInterval = std::chrono::seconds(10);
  const Context& context_;
  SteadyTime next_;
  std::string text_;     // as it is now
  std::string written_;  // the last line
  std::string notice_;
};

}  // namespace

bool has_live_colors(std::optional<bool> colorized, const Context& context) {
  return context.environment.get_or("NO_COLOR", "").empty() && colorized.value_or(true);
}

std::unique_ptr<OperationDisplay> make_display(DisplayForm form, bool has_colors, const Context& context) {
  if (form == DisplayForm::kJson) return std::make_unique<JsonLines>(context);
  if (context.called_as_velero()) return std::make_unique<VeleroDots>(context);
  if (context.err_terminal.is_terminal) return std::make_unique<LiveLines>(has_colors, context);
  return std::make_unique<PlainLines>(context);
}

}  // namespace landfall::cli
