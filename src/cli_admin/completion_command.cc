#include <string>
#include <string_view>

#include "base/strings.h"
#include "cli/complete.h"
#include "cli_admin/commands.h"

namespace landfall::cli {
namespace {

// The scripts hold no words of their own: they ask the program, whose tree is always the one that is installed. PROGRAM
// stands for its name, FUNCTION for the same in letters that a function's name may have, COMPLETE for the word to ask
// by.

// Bash takes "--flag=value" apart, and wants only what is behind the "=" for an answer. Nothing here needs more than
// the bash 3.2 of a Mac. Words go onto the command line as they are: what a shell would read as more than a word is
// quoted.
constexpr std::string_view kBash = R"(# Completion of PROGRAM for bash. To use it now: source <(PROGRAM completion bash)
_FUNCTION() {
  local words=() count=0 word line kind="" i unsafe='[^A-Za-z0-9_./:=,@%+-]'
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((count > 0)) && [[ $word == "=" && ${words[count - 1]} == --* ]]; then
      words[count - 1]+="="
    elif ((count > 0)) && [[ ${words[count - 1]} == --*= && ${COMP_WORDS[i - 1]} == "=" ]]; then
      words[count - 1]+=$word
    else
      words[count]=$word
      count=$((count + 1))
    fi
  done
  local last=${words[count - 1]} before=""
  [[ $last == --*=* ]] && before=${last%%=*}=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
    else
      line=${line%%$'\t'*}
      line=${line#"$before"}
      if [[ $line =~ $unsafe ]]; then
        printf -v line %q "$line"
      fi
      COMPREPLY[${#COMPREPLY[@]}]=$line
    fi
  done < <("${COMP_WORDS[0]}" COMPLETE "${words[@]}" 2>/dev/null)
  if [[ $kind == files ]] && type compopt >/dev/null 2>&1; then
    compopt -o default
  fi
}
complete -F _FUNCTION PROGRAM
)";

constexpr std::string_view kZsh = R"(#compdef PROGRAM
# Completion of PROGRAM for zsh. To use it now: source <(PROGRAM completion zsh)
_FUNCTION() {
  local -a lines candidates
  local line word help
  lines=("${(@f)$("${words[1]}" COMPLETE "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ ${lines[1]} == files ]]; then
    _files
    return
  fi
  for line in "${(@)lines[2,-1]}"; do
    word=${line%%$'\t'*}
    help=${line#"$word"}
    candidates+=("${word//:/\\:}:${help#$'\t'}")
  done
  _describe -t candidates PROGRAM candidates
}
if (( $+functions[compdef] )); then
  compdef _FUNCTION PROGRAM
fi
)";

constexpr std::string_view kFish = R"(# Completion of PROGRAM for fish. To use it now: PROGRAM completion fish | source
function __FUNCTION
  set -l words (commandline -opc)
  set -l lines ($words[1] COMPLETE $words[2..-1] (commandline -ct) 2>/dev/null)
  if test "$lines[1]" = files
    __fish_complete_path (commandline -ct)
  else if test (count $lines) -gt 1
    printf '%s\n' $lines[2..-1]
  end
end
complete -c PROGRAM -f -a '(__FUNCTION)'
)";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string script(std::string_view shell, const Context& context) {
  std::string function;
  for (const char c : context.program) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    function += is_plain ? c : '_';
  }
  std::string text = replaced(std::string(shell), "COMPLETE \"", std::string(kCompleteWord) + " \"");
  text = replaced(std::move(text), "COMPLETE $", std::string(kCompleteWord) + " $");
  text = replaced(std::move(text), "FUNCTION", function + "_words");
  return replaced(std::move(text), "PROGRAM", context.program);
}

}  // namespace

void add_completion_command(const Command& root) {
  const Command group = root.group("completion", "Print a script that completes command lines in a shell");
  for (const auto& [name, text] :
       {std::pair<const char*, std::string_view>{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}}) {
    const Command command = group.leaf(name, "The script for " + std::string(name));
    command.action(
        [text = text](const Context& context, const GlobalFlags&) { return context.out.write(script(text, context)); });
  }
}

}  // namespace landfall::cli
