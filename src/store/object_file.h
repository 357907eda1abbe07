#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/descriptor.h"

namespace landfall::store {

// An object in the making: a temporary file in the object's folder, which becomes the object as a whole or goes away
// with this. As long as it exists the folder cannot be removed by others. It is locked, so that a sweep can tell it
// from one whose process has died; that, and a folder that is open already, is what io::FileWriter does not have.
class ObjectFile {
 public:
  // kNotFound when the folder was removed meanwhile.
  static Result<ObjectFile> create(io::Descriptor folder);
  ObjectFile(ObjectFile&& other) noexcept = default;
  ObjectFile& operator=(ObjectFile&& other) = delete;
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;
  ~ObjectFile();

  Status write(std::string_view bytes);
  // Puts it on the disk and gives it its name. kAlreadyExists when it shall not replace an object and there is one;
  // kInvalid when a folder has the name. Call it once, as the last.
  Status publish(const std::string& name, bool if_absent);

 private:
  ObjectFile(io::Descriptor folder, std::string temporary, io::Descriptor file);
  Status take_name(const std::string& name, bool if_absent);

  io::Descriptor folder_;
  std::string temporary_;
  io::Descriptor file_;  // open as long as the temporary exists
};

// Removes a temporary file whose put has died; false when it is locked by a running one, was written to at or after
// `written_before` (seconds since 1970), or is gone.
Result<bool> remove_dead_temporary(int folder, const std::string& name, std::int64_t written_before);

}  // namespace landfall::store
