#include "sandbox_kinds/crd_schema_pattern.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "sandbox_kinds/crd_schema_pattern_parser.h"

namespace landfall::sandbox {
namespace {

using Instruction = Pattern::Instruction;
using Op = Instruction::Op;
using Type = PatternNode::Type;

constexpr std::size_t kMaxProgram = 20000;
constexpr std::size_t kMaxWrites = 200'000;
constexpr std::size_t kMaxRanges = 100'000;
constexpr std::size_t kMaxSteps = 50'000'000;

// Writes the tree as a program for a machine that follows all branches at once.
class Writer {
 public:
  Status write(const PatternNode& node) {
    // Counted apart from the program: repetitions of nothing write nothing.
    if (program_.size() > kMaxProgram || ++writes_ > kMaxWrites || ranges_ > kMaxRanges) {
      return fail(Code::kTooLarge, "the pattern is too large");
    }
    switch (node.type) {
      case Type::kEmpty:
        return {};
      case Type::kClass:
        add(Op::kClass, static_cast<std::uint32_t>(classes_.size()));
        classes_.push_back(node.characters);
        ranges_ += node.characters.size();
        return {};
      case Type::kBegin:
        add(Op::kBegin);
        return {};
      case Type::kEnd:
        add(Op::kEnd);
        return {};
      case Type::kBoundary:
        add(Op::kBoundary);
        return {};
      case Type::kNoBoundary:
        add(Op::kNoBoundary);
        return {};
      case Type::kSequence:
        return write_sequence(node);
      case Type::kChoice:
        return write_choice(node);
      case Type::kRepeat:
        return write_repeat(node);
    }
    return {};
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.size()); }
  std::uint32_t add(Op op, std::uint32_t a = 0) {
    program_.push_back({.op = op, .a = a, .b = 0});
    return here() - 1;
  }
  std::vector<Instruction> take_program() { return std::move(program_); }
  std::vector<Pattern::Class> take_classes() { return std::move(classes_); }
  // What one character of a text may cost.
  std::size_t cost() const { return program_.size() + ranges_; }

 private:
  Status write_sequence(const PatternNode& node) {
    for (const PatternNode& child : node.children) {
      TRY("", write(child));
    }
    return {};
  }

  Status write_choice(const PatternNode& node) {
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const bool is_last = i + 1 == node.children.size();
      const std::uint32_t split = is_last ? 0 : add(Op::kSplit, here() + 1);
      TRY("", write(node.children[i]));
      if (!is_last) {
        ends.push_back(add(Op::kJump));
        program_[split].b = here();
      }
    }
    for (const std::uint32_t end : ends) {
      program_[end].a = here();
    }
    return {};
  }

  Status write_repeat(const PatternNode& node) {
    const PatternNode& child = node.children.front();
    for (std::size_t i = 0; i < node.at_least; ++i) {
      TRY("", write(child));
    }
    if (node.at_most == PatternNode::kNoLimit) {
      const std::uint32_t split = add(Op::kSplit, here() + 1);
      TRY("", write(child));
      add(Op::kJump, split);
      program_[split].b = here();
      return {};
    }
    std::vector<std::uint32_t> splits;
    for (std::size_t i = node.at_least; i < node.at_most; ++i) {
      splits.push_back(add(Op::kSplit, here() + 1));
      TRY("", write(child));
    }
    for (const std::uint32_t split : splits) {
      program_[split].b = here();
    }
    return {};
  }

  std::vector<Instruction> program_;
  std::vector<Pattern::Class> classes_;
  std::size_t writes_ = 0;
  std::size_t ranges_ = 0;
};

bool is_word(char32_t c) {
  return (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z') || c == U'_';
}

// What a position between two characters looks like.
struct Position {
  bool is_begin;
  bool is_end;
  bool is_boundary;
};

// The places that the machine is at, each once.
class Places {
 public:
  explicit Places(const std::vector<Instruction>& program) : program_(program), seen_(program.size(), 0) {}

  void clear() {
    list_.clear();
    ++round_;
  }
  const std::vector<std::uint32_t>& list() const { return list_; }
  bool has_match() const { return has_match_; }

  // Adds the place and all that can be reached from it without reading a character. A stack of our own: the machine's
  // would be as deep as the pattern is long.
  void add(std::uint32_t start, const Position& position) {
    stack_.push_back(start);
    while (!stack_.empty()) {
      const std::uint32_t at = stack_.back();
      stack_.pop_back();
      if (seen_[at] == round_) {
        continue;
      }
      seen_[at] = round_;
      step(at, position);
    }
  }

 private:
  void step(std::uint32_t at, const Position& position) {
    const Instruction& instruction = program_[at];
    switch (instruction.op) {
      case Op::kClass:
        list_.push_back(at);
        return;
      case Op::kMatch:
        has_match_ = true;
        return;
      case Op::kJump:
        stack_.push_back(instruction.a);
        return;
      case Op::kSplit:
        stack_.push_back(instruction.b);
        stack_.push_back(instruction.a);
        return;
      case Op::kBegin:
      case Op::kEnd:
      case Op::kBoundary:
      case Op::kNoBoundary:
        if (holds(instruction.op, position)) {
          stack_.push_back(at + 1);
        }
        return;
    }
  }

  static bool holds(Op op, const Position& position) {
    if (op == Op::kBegin) {
      return position.is_begin;
    }
    if (op == Op::kEnd) {
      return position.is_end;
    }
    return position.is_boundary == (op == Op::kBoundary);
  }

  const std::vector<Instruction>& program_;
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> list_;
  std::uint32_t round_ = 1;
  bool has_match_ = false;
};

}  // namespace

Result<Pattern> Pattern::compile(std::string_view text) {
  TRY_ASSIGN(const PatternNode tree, "", parse_pattern(text));
  Writer writer;
  TRY("", writer.write(tree));
  writer.add(Op::kMatch);
  Pattern pattern;
  pattern.cost_ = writer.cost();
  pattern.program_ = writer.take_program();
  pattern.classes_ = writer.take_classes();
  if (pattern.program_.size() > kMaxProgram) {
    return fail(Code::kTooLarge, "the pattern is too large");
  }
  return pattern;
}

bool Pattern::matches(std::string_view text) const {
  if (text.size() > kMaxSteps / cost_) {
    return true;
  }
  Places now(program_);
  std::vector<std::uint32_t> read;  // the places that took the last character
  char32_t before = 0;
  for (std::string_view rest = text;;) {
    const Rune rune = rest.empty() ? Rune{.value = 0, .size = 0} : first_rune(rest);
    const Position position{.is_begin = rest.size() == text.size(),
                            .is_end = rest.empty(),
                            .is_boundary = is_word(before) != is_word(rune.value)};
    now.clear();
    for (const std::uint32_t at : read) {
      now.add(at + 1, position);
    }
    now.add(0, position);
    if (now.has_match()) {
      return true;
    }
    if (rest.empty()) {
      return false;
    }
    read.clear();
    for (const std::uint32_t at : now.list()) {
      const Class& characters = classes_[program_[at].a];
      if (std::ranges::any_of(characters,
                              [&](const Range& r) { return rune.value >= r.first && rune.value <= r.last; })) {
        read.push_back(at);
      }
    }
    before = rune.value;
    rest.remove_prefix(rune.size);
  }
}

}  // namespace landfall::sandbox
