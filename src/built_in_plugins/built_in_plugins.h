#pragma once

namespace landfall::built_in_plugins {

// Whether a program with such words is to be one: `landfall run-plugins …`, or anything through a link that is called
// landfall-plugins, because servers start what is in their plugin directory with words of their own.
bool is_called(int argc, char** argv);

// Offers Landfall's own item actions to the server that has started this program. Returns the exit code. To be called
// first thing in main().
int run(int argc, char** argv);

}  // namespace landfall::built_in_plugins
