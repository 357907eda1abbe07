// For tests: the built-in actions as a program of their own.

#include "built_in_plugins/built_in_plugins.h"

int main(int argc, char** argv) { return landfall::built_in_plugins::run(argc, argv); }
