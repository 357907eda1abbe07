#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>

#include "base/go_duration.h"
#include "base/strings.h"
#include "cli/command_parser.h"
#include "cli/command_tree.h"
#include "cli/command_walk.h"
#include "cli/flag_values.h"
#include "cli/nearest.h"

namespace landfall::cli {
namespace {

// Adds an option whose text is read by parse; the parser shows what parse objected to.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App* app, const std::string& names, T& value, const std::string& help,
                        const std::string& type, const Parse& parse) {
  return app
      ->add_option_function<std::string>(
          names,
          [&value, parse, names](const std::string& text) {
            Result<T> parsed = parse(text);
            if (!parsed) {
              throw CLI::ValidationError(names, parsed.error().message());
            }
            value = *std::move(parsed);
          },
          help)
      ->type_name(type)
      ->take_last();
}

RootApp& root_of(CLI::App& app) {
  CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  return *static_cast<RootApp*>(root);  // NOLINT(*-static-cast-downcast): there is no other
}

// Whether the words that will be parsed cannot lead there.
bool is_asleep(CLI::App& app) { return !root_of(app).can_be_meant(app); }

// A flag that is true by being there, and takes a value behind `=` only. The last one counts.
template <class Set>
void add_boolean(CLI::App* app, const std::string& names, const std::string& help, const Set& set) {
  const auto text = std::make_shared<std::string>();
  app->add_flag(names, *text, help)->take_last()->each([text, set, names](const std::string& given) {
    const auto parsed = parse_bool(given);
    if (!parsed) throw CLI::ValidationError(names, parsed.error().message());
    set(*parsed);
  });
}

// "-o=json" as "-o" and "json", which is how the parser takes it; and a flag that may be absent without what its value
// would be is absent.
std::vector<std::string> plain_words(const std::vector<std::string>& words, const RootApp& root) {
  std::vector<std::string> plain;
  plain.reserve(words.size());
  bool has_ended = false;
  for (const std::string& word : words) {
    has_ended = has_ended || word == "--";
    const bool is_short = word.size() > 2 && word[0] == '-' && word[1] != '-' && word[2] == '=';
    if (!has_ended && is_short) {
      plain.push_back(word.substr(0, 2));
      plain.push_back(word.substr(3));
    } else if (!has_ended && word.ends_with('=') && root.is_tristate(word.substr(0, word.size() - 1))) {
      continue;
    } else {
      plain.push_back(word);
    }
  }
  return plain;
}

}  // namespace

Command Command::group(const std::string& name, const std::string& help) const {
  CLI::App* app = app_->add_subcommand(name, help);
  app->require_subcommand(1);
  return {app, chosen_};
}

Command Command::leaf(const std::string& name, const std::string& help) const {
  return {app_->add_subcommand(name, help), chosen_};
}

void Command::alias(const std::string& name) const { app_->alias(name); }

void Command::flag(const std::string& names, bool& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  add_boolean(app_, names, help, [&value](bool given) { value = given; });
}

void Command::flag(const std::string& names, std::optional<bool>& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  root_of(*app_).note_tristate(names.substr(names.rfind(',') + 1));
  add_boolean(app_, names, help, [&value](bool given) { value = given; });
}

void Command::flag(const std::string& names, std::string& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  app_->add_option(names, value, help)->type_name("TEXT")->take_last();
}

void Command::flag(const std::string& names, std::int64_t& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  app_->add_option(names, value, help)->type_name("NUMBER")->take_last();
}

void Command::flag(const std::string& names, Duration& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  add_parsed(app_, names, value, help, "DURATION", [](const std::string& text) { return parse_go_duration(text); });
}

void Command::flag(const std::string& names, std::optional<std::string>& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  add_parsed(app_, names, value, help, "TEXT",
             [](const std::string& text) -> Result<std::optional<std::string>> { return text; });
}

void Command::flag(const std::string& names, std::optional<Duration>& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  add_parsed(app_, names, value, help, "DURATION",
             [](const std::string& text) -> Result<std::optional<Duration>> { return parse_go_duration(text); });
}

void Command::list(const std::string& names, std::vector<std::string>& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  app_->add_option_function<std::vector<std::string>>(
          names,
          [&value, names](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              auto parsed = parse_record(text);
              if (!parsed) throw CLI::ValidationError(names, parsed.error().message());
              value.insert(value.end(), parsed->begin(), parsed->end());
            }
          },
          help)
      ->type_name("LIST")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void Command::flag(const std::string& names, std::vector<std::string>& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  add_parsed(app_, names, value, help, "LIST",
             [is_velero = root_of(*app_).is_velero()](const std::string& text) -> Result<std::vector<std::string>> {
               if (!text.empty()) return parse_list(text);
               // To leave the list empty would mean everything, where somebody meant what a variable did not hold.
               if (is_velero) return std::vector<std::string>{""};
               return fail(Code::kInvalid,
                           "expected a list, got nothing: is a variable empty? Leave the flag out, or "
                           "write '*' for all");
             });
}

void Command::flag(const std::string& names, std::map<std::string, std::string>& value, const std::string& help,
                   char separator) const {
  if (is_asleep(*app_)) return;
  app_->add_option_function<std::vector<std::string>>(
          names,
          [&value, names, separator](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto parsed = parse_map(text, separator);
              if (!parsed) {
                throw CLI::ValidationError(names, parsed.error().message());
              }
              for (const auto& [key, part] : *parsed) {
                value[key] = part;
              }
            }
          },
          help)
      ->type_name(std::string("KEY") + separator + "VALUE,...")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void Command::ignored_flag(const std::string& names) const { app_->add_flag(names)->group(""); }

void Command::ignored_value(const std::string& names) const {
  app_->add_option_function<std::string>(names, [](const std::string&) {})->group("")->take_last();
}

void Command::choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
                     const std::string& help) const {
  if (is_asleep(*app_)) return;
  std::string list;
  for (const std::string& word : choices) {
    list += (list.empty() ? "" : "|") + word;
  }
  add_parsed(app_, names, value, help, list, [choices, list](const std::string& text) -> Result<std::string> {
    for (const std::string& word : choices) {
      if (word == text) {
        return text;
      }
    }
    return fail(Code::kInvalid, "\"" + text + "\" is not one of " + list);
  });
}

void Command::argument(const std::string& name, std::string& value, const std::string& help) const {
  if (is_asleep(*app_)) return;
  app_->add_option(name, value, help)->required()->type_name("");
}

void Command::arguments(const std::string& name, std::vector<std::string>& values, const std::string& help) const {
  if (is_asleep(*app_)) return;
  app_->add_option(name, values, help)->type_name("");
}

void Command::action(Action action) const {
  if (is_asleep(*app_)) return;
  app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

CommandTree::CommandTree(const std::string& program, const std::string& help, const std::vector<std::string>& words)
    : parser_(std::make_unique<Parser>(words)) {
  CLI::App& app = parser_->app;
  app.name(program);
  app.description(help);
  app.require_subcommand(1);
  app.fallthrough();  // global flags may stand behind the command's own words
  app.set_help_flag("-h,--help", "Show this help");
  app.get_formatter()->column_width(34);
}

CommandTree::~CommandTree() = default;

Command CommandTree::root() { return {&parser_->app, &parser_->chosen}; }

namespace {

// The command the words reached, for a hint such as `landfall backup get --help`.
const CLI::App* deepest(const CLI::App& app) {
  const auto called = app.get_subcommands();
  return called.empty() ? &app : deepest(*called.front());
}

std::string path_of(const CLI::App* app) {
  return app->get_parent() == nullptr ? app->get_name() : path_of(app->get_parent()) + " " + app->get_name();
}

// The flag or command that was probably meant.
std::string suggestion(const CLI::App& reached, const std::string& unknown) {
  if (!unknown.starts_with("-")) {
    const auto meant = nearest(unknown, command_words(reached));
    return meant ? "; did you mean " + *meant + "?" : "";
  }
  std::vector<std::string> flags;
  for (const CLI::Option* flag : flags_of(reached)) flags.push_back(long_name(*flag));
  const auto meant = nearest(unknown.substr(0, unknown.find('=')), flags);
  return meant ? "; did you mean " + *meant + "?" : "";
}

std::string help_of(const CLI::App* app) {
  return app->help(app->get_parent() == nullptr ? "" : path_of(app->get_parent()));
}

}  // namespace

Result<CommandTree::Parsed> CommandTree::parse(const std::vector<std::string>& words) {
  CLI::App& app = parser_->app;
  parser_->chosen = nullptr;
  const auto mistake = [](const std::string& what, const CLI::App* where) {
    return fail(Code::kInvalid, what + (what.ends_with('?') ? " " : ". ") + "See '" + path_of(where) + " --help'");
  };
  try {
    std::vector<std::string> plain = plain_words(words, parser_->app);
    // `help backup get` asks what `backup get --help` does.
    if (!plain.empty() && plain.front() == "help") {
      plain.erase(plain.begin());
      plain.emplace_back("--help");
    }
    // The parser takes the words from the back.
    std::ranges::reverse(plain);
    app.parse(plain);
    return Parsed{.action = parser_->chosen, .text = {}};
  } catch (const CLI::CallForHelp&) {
    return Parsed{.action = nullptr, .text = help_of(deepest(app))};
  } catch (const CLI::ParseError& error) {
    const CLI::App* reached = deepest(app);
    const std::vector<std::string> unknown = app.remaining(true);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return mistake(error.what(), reached);
    // Velero answers an unknown word below a group with the group's help.
    const bool is_question = parser_->app.is_velero() && reached != &app && !command_words(*reached).empty();
    if (is_question && !unknown.empty() && !unknown.front().starts_with("-")) {
      return Parsed{.action = nullptr, .text = help_of(reached)};
    }
    if (!unknown.empty()) {
      const bool is_flag = unknown.front().starts_with("-");
      // The parser goes on behind a first word that it does not know: the next one may be a command by chance.
      const CLI::App* where = !is_flag && unknown.front() == words.front() ? &app : reached;
      const bool is_argument = !is_flag && command_words(*where).empty();
      if (is_argument) return mistake("unexpected argument: " + unknown.front(), where);
      return mistake(
          (is_flag ? "unknown flag: " : "unknown command: ") + unknown.front() + suggestion(*where, unknown.front()),
          where);
    }
    // A group without a word below it is a question, not a mistake.
    if (reached->get_require_subcommand_min() > 0 && reached->get_subcommands().empty()) {
      return Parsed{.action = nullptr, .text = help_of(reached)};
    }
    return mistake(error.what(), reached);
  } catch (const std::exception& error) {
    return mistake(error.what(), deepest(app));
  }
}

}  // namespace landfall::cli
