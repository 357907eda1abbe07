#include "selection/glob.h"

#include <algorithm>

#include "base/strings.h"

namespace landfall::selection {

// Turns the text into steps, in one pass. An open brace is a frame on a stack, so nesting costs no recursion.
class Glob::Compiler {
 public:
  explicit Compiler(Glob& glob) : glob_(glob), text_(glob.pattern_) {}

  Status run() {
    while (at_ < text_.size()) {
      TRY("", item());
    }
    while (!open_.empty()) {
      close_group();
    }
    emit({.op = Op::kAccept});
    return {};
  }

 private:
  struct Group {
    std::size_t split = 0;           // before the alternative that is being read
    std::vector<std::size_t> jumps;  // from the end of each alternative to the end of the group
  };

  tl::unexpected<Error> error(std::size_t place, std::string_view what) const {
    return fail(Code::kInvalid,
                "pattern " + quote(glob_.pattern_) + ": at byte " + std::to_string(place) + ": " + std::string(what));
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(glob_.steps_.size()); }

  std::size_t emit(Step step) {
    glob_.steps_.push_back(step);
    return glob_.steps_.size() - 1;
  }

  Result<char32_t> rune() {
    const Rune found = first_rune(text_.substr(at_));
    if (!found.valid || found.value == 0) {
      return error(at_, "not readable as text");
    }
    at_ += found.size;
    return found.value;
  }

  Status item() {
    switch (text_[at_]) {
      case '*':
        ++at_;
        star();
        return {};
      case '?':
        ++at_;
        emit({.op = Op::kAnyRune});
        return {};
      case '[':
        return set();
      case '{':
        ++at_;
        open_.push_back({.split = emit({.op = Op::kSplit, .next = here() + 1})});
        return {};
      case ',':
      case '}':
        if (!open_.empty()) {
          separator_or_close();
          return {};
        }
        break;
      case '\\':
        if (++at_ == text_.size()) {
          return {};  // as in Velero, a backslash at the end stands for nothing
        }
        break;
      default:
        break;
    }
    TRY_ASSIGN(const char32_t c, "", rune());
    emit({.op = Op::kRune, .rune = c});
    return {};
  }

  void star() {
    const std::size_t split = emit({.op = Op::kSplit, .next = here() + 1});
    emit({.op = Op::kAnyRune});
    emit({.op = Op::kJump, .next = static_cast<std::uint32_t>(split)});
    glob_.steps_[split].other = here();
  }

  void separator_or_close() {
    if (text_[at_++] == '}') {
      close_group();
      return;
    }
    Group& group = open_.back();
    group.jumps.push_back(emit({.op = Op::kJump}));
    glob_.steps_[group.split].other = here();
    group.split = emit({.op = Op::kSplit, .next = here() + 1});
  }

  void close_group() {
    for (const std::size_t jump : open_.back().jumps) {
      glob_.steps_[jump].next = here();
    }
    open_.pop_back();
  }

  Status set() {
    const std::size_t start = at_++;
    Set set;
    if (at_ < text_.size() && text_[at_] == '!') {
      set.negated = true;
      ++at_;
    }
    if (at_ == text_.size()) {
      return error(start, "the set is not closed");
    }
    const Rune first = first_rune(text_.substr(at_));
    if (text_.substr(at_ + first.size).starts_with('-')) {
      TRY("", range(start, set));
    } else {
      TRY("", list(start, set));
    }
    emit({.op = Op::kSet, .rune = static_cast<char32_t>(glob_.sets_.size())});
    glob_.sets_.push_back(std::move(set));
    return {};
  }

  Status range(std::size_t start, Set& set) {
    TRY_ASSIGN(const char32_t low, "", rune());
    ++at_;  // the dash
    if (at_ == text_.size()) {
      return error(start, "the set is not closed");
    }
    TRY_ASSIGN(const char32_t high, "", rune());
    if (at_ == text_.size() || text_[at_] != ']') {
      return error(start, "a range such as [a-z] must be alone in its set");
    }
    ++at_;
    if (high < low) {
      return error(start, "the range runs backwards");
    }
    set.ranges.emplace_back(low, high);
    return {};
  }

  Status list(std::size_t start, Set& set) {
    while (at_ < text_.size() && text_[at_] != ']') {
      if (text_[at_] == '\\') {
        ++at_;
      }
      if (at_ == text_.size()) {
        break;
      }
      TRY_ASSIGN(const char32_t c, "", rune());
      set.ranges.emplace_back(c, c);
    }
    if (at_ == text_.size()) {
      return error(start, "the set is not closed");
    }
    ++at_;
    if (set.ranges.empty()) {
      return error(start, "the set is empty");
    }
    return {};
  }

  Glob& glob_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Group> open_;
};

// The steps at which the machine is after a part of the text. Each step is in the list at most once.
class Glob::Run {
 public:
  explicit Run(const Glob& glob) : glob_(glob), seen_(glob.steps_.size(), 0) { start(0); }

  bool is_dead() const { return now_.empty(); }
  bool is_accepted() const {
    return std::ranges::any_of(now_, [&](std::uint32_t at) { return glob_.steps_[at].op == Op::kAccept; });
  }

  void feed(char32_t rune) {
    previous_.swap(now_);
    now_.clear();
    ++round_;
    for (const std::uint32_t at : previous_) {
      if (glob_.accepts(glob_.steps_[at], rune)) {
        start(at + 1);
      }
    }
  }

 private:
  // Adds the step, and all that can be reached from it without reading.
  void start(std::uint32_t first) {
    pending_.push_back(first);
    while (!pending_.empty()) {
      const std::uint32_t at = pending_.back();
      pending_.pop_back();
      if (at == kNowhere || seen_[at] == round_) {
        continue;
      }
      seen_[at] = round_;
      const Step& step = glob_.steps_[at];
      if (step.op == Op::kSplit) {
        pending_.push_back(step.other);
        pending_.push_back(step.next);
      } else if (step.op == Op::kJump) {
        pending_.push_back(step.next);
      } else {
        now_.push_back(at);
      }
    }
  }

  const Glob& glob_;
  std::size_t round_ = 1;
  std::vector<std::size_t> seen_;
  std::vector<std::uint32_t> now_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> pending_;
};

Result<Glob> Glob::compile(std::string_view pattern) {
  if (pattern.size() > kMaxBytes) {
    return fail(Code::kInvalid,
                "pattern " + quote(pattern.substr(0, 32)) + "…: longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  Glob glob;
  glob.pattern_ = pattern;
  glob.is_literal_ = pattern.find_first_of("*?[{\\") == std::string_view::npos;
  glob.is_any_ = !pattern.empty() && pattern.find_first_not_of('*') == std::string_view::npos;
  TRY("", Compiler(glob).run());
  return glob;
}

bool Glob::accepts(const Step& step, char32_t rune) const {
  switch (step.op) {
    case Op::kRune:
      return step.rune == rune;
    case Op::kAnyRune:
      return true;
    case Op::kSet: {
      const Set& set = sets_[step.rune];
      const bool found = std::ranges::any_of(
          set.ranges, [&](const auto& range) { return range.first <= rune && rune <= range.second; });
      return found != set.negated;
    }
    case Op::kSplit:
    case Op::kJump:
    case Op::kAccept:
      break;
  }
  return false;
}

bool Glob::matches(std::string_view text) const {
  if (is_any_) {
    return true;
  }
  if (is_literal_) {
    return text == pattern_;
  }
  Run run(*this);
  while (!text.empty() && !run.is_dead()) {
    const Rune rune = first_rune(text);
    run.feed(rune.value);
    text.remove_prefix(rune.size);
  }
  return text.empty() && run.is_accepted();
}

bool has_wildcard(std::string_view name) { return name.find_first_of("*?[") != std::string_view::npos; }

}  // namespace landfall::selection
