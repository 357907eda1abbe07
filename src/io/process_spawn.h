#pragma once

#include <sys/types.h>

#include <string>

#include "io/descriptor.h"
#include "io/process.h"

// Starting a child process; process.cc runs it.
namespace landfall::io {

// A started child and our ends of its streams, which do not block. The child is a zombie, and its id taken, until
// reap() is called.
struct Child {
  pid_t pid = 0;      // also its session and process group
  Descriptor exited;  // a pidfd: readable when the child has ended
  Descriptor input;   // empty when the child has no input
  Descriptor out;
  Descriptor err;
};

Result<Child> spawn(const ProcessSpec& spec);

// Waits for the end of a child and frees its id. Sets exit_code or signal.
Status reap(pid_t pid, ProcessResult& result);

}  // namespace landfall::io
