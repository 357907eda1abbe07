#include "cli/command_walk.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/strings.h"
#include "cli/command_parser.h"

namespace landfall::cli {
namespace {

// The words of a choice: its type reads "table|json".
std::vector<std::string> choices_of(const CLI::Option& flag) {
  std::vector<std::string> words;
  const std::string type = flag.get_type_name();
  if (!contains(type, "|")) return words;
  for (const std::string_view word : split(type, '|')) words.emplace_back(word);
  return words;
}

std::string first_line(const std::string& help) { return help.substr(0, help.find('\n')); }

std::string path_below(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "";
  const std::string above = path_below(*app.get_parent());
  return above.empty() ? app.get_name() : above + " " + app.get_name();
}

bool has_arguments(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(), [](const CLI::Option* one) { return one->get_positional(); });
}

class Completer {
 public:
  explicit Completer(const CLI::App& root) : app_(&root) {}

  Completion complete(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) pass(words[i]);
    found_.typed = words.empty() ? "" : words.back();
    if (waiting_ != nullptr) {
      value_of(*waiting_);
    } else if (const auto pair = cut(found_.typed, '='); pair && found_.typed.starts_with("--")) {
      const CLI::Option* flag = find_flag(*app_, pair->first);
      found_.before = std::string(pair->first) + "=";
      found_.typed = std::string(pair->second);
      if (flag != nullptr && takes_value(*flag)) value_of(*flag);
    } else if (found_.typed.starts_with("-") && !only_arguments_) {
      for (const CLI::Option* flag : flags_of(*app_)) offer(long_name(*flag), first_line(flag->get_description()));
    } else {
      word_of(*app_);
    }
    return std::move(found_);
  }

 private:
  void pass(const std::string& word) {
    if (waiting_ != nullptr) {
      found_.flags[long_name(*waiting_)] = word;
      waiting_ = nullptr;
    } else if (word == "--") {
      only_arguments_ = true;
    } else if (word.starts_with("-") && !only_arguments_) {
      pass_flag(word);
    } else if (const CLI::App* below = find_command(*app_, word); below != nullptr && !only_arguments_) {
      app_ = below;
    } else {
      ++found_.arguments;
    }
  }
  void pass_flag(const std::string& word) {
    const auto pair = cut(word, '=');
    const CLI::Option* flag = find_flag(*app_, pair ? pair->first : std::string_view(word));
    if (flag == nullptr || !takes_value(*flag)) return;
    if (pair) {
      found_.flags[long_name(*flag)] = std::string(pair->second);
    } else {
      waiting_ = flag;
    }
  }

  void offer(const std::string& word, const std::string& help) {
    if (word.starts_with(found_.typed)) found_.candidates.push_back({found_.before + word, help});
  }
  void value_of(const CLI::Option& flag) {
    const std::vector<std::string> choices = choices_of(flag);
    for (const std::string& choice : choices) offer(choice, "");
    if (choices.empty()) found_.flag = long_name(flag);
  }
  void word_of(const CLI::App& app) {
    for (const CLI::App* below : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
      offer(below->get_name(), first_line(below->get_description()));
    }
    if (has_arguments(app)) found_.command = path_below(app);
  }

  const CLI::App* app_;
  const CLI::Option* waiting_ = nullptr;  // a flag whose value comes next
  bool only_arguments_ = false;
  Completion found_;
};

}  // namespace

std::vector<std::string> command_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(one->get_name());
    words.insert(words.end(), one->get_aliases().begin(), one->get_aliases().end());
  }
  return words;
}

const CLI::App* find_command(const CLI::App& app, std::string_view word) {
  const auto found = app.get_subcommands([&](const CLI::App* one) { return one->check_name(std::string(word)); });
  return found.empty() ? nullptr : found.front();
}

std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  std::vector<const CLI::Option*> flags;
  for (const CLI::App* one = &app; one != nullptr; one = one->get_parent()) {
    for (const CLI::Option* option : one->get_options()) {
      const bool is_known =
          std::ranges::any_of(flags, [&](const CLI::Option* flag) { return long_name(*flag) == long_name(*option); });
      if (option->nonpositional() && !is_known) flags.push_back(option);
    }
  }
  return flags;
}

std::string long_name(const CLI::Option& flag) {
  if (!flag.get_lnames().empty()) return "--" + flag.get_lnames().front();
  return flag.get_snames().empty() ? "" : "-" + flag.get_snames().front();
}

const CLI::Option* find_flag(const CLI::App& app, std::string_view name) {
  for (const CLI::Option* flag : flags_of(app)) {
    if (flag->check_name(std::string(name))) return flag;
  }
  return nullptr;
}

bool takes_value(const CLI::Option& flag) { return flag.get_items_expected_max() > 0; }

Completion CommandTree::complete(const std::vector<std::string>& words) const {
  return Completer(parser_->app).complete(words);
}

}  // namespace landfall::cli
