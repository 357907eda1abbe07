#pragma once

#include <cstdint>
#include <string>

#include "control/active_restores.h"
#include "control/artifact_tokens.h"
#include "control/context.h"
#include "server/controller_set.h"
#include "server/options.h"
#include "server/plugin_parts.h"
#include "server/volume_parts.h"

namespace landfall::server {

// What the controllers are made of. All of it outlives them.
struct Parts {
  const control::Context& context;
  const ServerOptions& options;
  const control::ArtifactTokens& tokens;
  control::ActiveRestores& active_restores;  // of this term
  VolumeParts& volumes;
  PluginParts& plugins;
  std::string artifacts_url;         // where clients reach the artifact endpoint
  std::uint16_t artifacts_port = 0;  // where it listens
  std::string spool_directory;       // for files that do not fit into memory
};

// Every controller that the options leave switched on, under the name that Velero gives it, and what each of them
// watches. The table of the server: a new reconciler is a few lines in its file.
void add_controllers(ControllerSet& set, const Parts& parts);

}  // namespace landfall::server
