#include "io/fake_process.h"

#include "base/quote.h"
#include "io/process_output.h"

namespace landfall::io {
namespace {

constexpr std::size_t kInputLimit = 64UL << 20U;

Result<std::string> all_input(const ProcessSpec& spec) {
  if (const auto* text = std::get_if<std::string>(&spec.input)) {
    return *text;
  }
  if (Reader* const* reader = std::get_if<Reader*>(&spec.input)) {
    return read_all(**reader, kInputLimit);
  }
  return std::string();
}

}  // namespace

void FakeProcessRunner::add(const std::string& name, Program program) {
  programs_.with([&](auto& programs) { programs[name] = std::move(program); });
}

Result<ProcessResult> FakeProcessRunner::run(const ProcessSpec& spec, const std::stop_token& stop) {
  const std::string path = spec.argv.empty() ? "" : spec.argv.front();
  const std::string name = "run " + quote(path);
  if (stop.stop_requested()) {
    return fail(Code::kCancelled, name + ": stopped before it began");
  }
  const Program program = programs_.with([&](const auto& programs) {
    const auto found = programs.find(path.substr(path.rfind('/') + 1));
    return found == programs.end() ? Program() : found->second;
  });
  if (!program) {
    return fail(Code::kNotFound, name + ": no such program in the PATH");
  }
  TRY_ASSIGN(std::string input, name + ": its input", all_input(spec));

  OutputCollector out(spec.on_stdout_line, spec.line_limit, OutputCollector::Keep::kAllOrFail, spec.stdout_limit);
  OutputCollector err(spec.on_stderr_line, spec.line_limit, OutputCollector::Keep::kLast, spec.stderr_limit);
  bool fits = true;
  FakeProcess process{.out = [&](std::string_view bytes) { fits = out.add(bytes) && fits; },
                      .err = [&](std::string_view bytes) { err.add(bytes); },
                      .call = {.argv = spec.argv, .env = spec.env, .directory = spec.directory, .input = input},
                      .stop = stop};
  calls_.with([&](auto& calls) { calls.push_back(process.call); });
  TRY_ASSIGN(const int exit_code, name, program(process));
  ProcessResult result{.exit_code = exit_code, .signal = 0, .out = out.finish(), .err = err.finish()};
  if (stop.stop_requested()) {
    return fail(Code::kCancelled, name + ": stopped");
  }
  if (!fits) {
    return fail(Code::kTooLarge,
                name + ": more than " + std::to_string(spec.stdout_limit) + " bytes of standard output");
  }
  return result;
}

}  // namespace landfall::io
