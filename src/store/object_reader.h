#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "io/descriptor.h"
#include "io/stream.h"

namespace landfall::store {

// Reads an object that is a file, and fails where the file ends before the size that it had when it was opened.
class ObjectReader final : public io::Reader {
 public:
  // `naming` begins its errors. kNotFound when there is no regular file of that name in the folder.
  static Result<std::unique_ptr<io::Reader>> open(int folder, const std::string& name, std::string naming,
                                                  const std::stop_token& stop);
  ObjectReader(io::Descriptor file, std::uint64_t size, std::string naming, std::stop_token stop);

  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  const io::Descriptor file_;
  std::uint64_t left_;
  const std::string naming_;
  const std::stop_token stop_;
};

// The error of a get() that finds nothing.
inline tl::unexpected<Error> no_such_object(const std::string& naming) {
  return fail(Code::kNotFound, naming + ": there is no such object");
}

}  // namespace landfall::store
