#include "stories/running_program.h"

#include <utility>

#include "base/clock.h"

namespace landfall::stories {

RunningProgram::RunningProgram(Program program, Environment environment)
    : environment_(std::move(environment)), processes_(io::make_system_process_runner(system_clock())) {
  thread_ = std::jthread([this, program = std::move(program)](const std::stop_token& stop) {
    const auto end_process = [this] { error_.with([](auto& it) { it = "it would have ended the process"; }); };
    const Status ended = program({.environment = environment_,
                                  .processes = *processes_,
                                  .log = Logger(system_clock(), log_),
                                  .end_process = end_process},
                                 stop);
    if (!ended) error_.with([&](auto& it) { it = ended.error().message(); });
  });
}

}  // namespace landfall::stories
