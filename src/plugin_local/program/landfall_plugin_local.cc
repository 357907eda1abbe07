// landfall-plugin-local: the plugin `landfall.dev/local`, and the workers that it leaves behind. Wiring only.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "io/process.h"
#include "plugin_kit/plugin_kit.h"
#include "plugin_local/local_snapshotter.h"
#include "plugin_local/progress_resource.h"
#include "plugin_local/worker.h"

namespace {

// The file may be replaced while it runs; what was started stays the same.
std::string this_program() {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "/proc/self/exe" : found.string();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() > 1 && words[1] == "worker") {
    return landfall::plugin_local::run_worker({words.begin() + 2, words.end()}, landfall::Environment::of_process(),
                                              landfall::system_clock());
  }
  const auto processes = landfall::io::make_system_process_runner(landfall::system_clock());
  return landfall::plugin_kit::serve(
      argc, argv, [&](landfall::plugin_kit::Plugins& plugins, const landfall::plugin_kit::Context& context) {
        using landfall::plugin_local::LocalSnapshotter;
        const landfall::plugin_local::LocalParts parts{.clock = context.clock,
                                                       .random = landfall::system_random(),
                                                       .processes = *processes,
                                                       .environment = context.environment,
                                                       .program = this_program(),
                                                       .log = context.log};
        const auto make = [parts](const landfall::plugin_kit::Config& config)
            -> landfall::Result<std::unique_ptr<landfall::extension::VolumeSnapshotter>> {
          TRY_ASSIGN(landfall::plugin_local::Settings settings, "", landfall::plugin_local::read_settings(config));
          TRY_ASSIGN(auto opened, "", LocalSnapshotter::open(std::move(settings), parts));
          return std::unique_ptr<landfall::extension::VolumeSnapshotter>(std::move(opened));
        };
        plugins.add_volume_snapshotter(std::string(landfall::plugin_local::kPluginName), make);
      });
}
