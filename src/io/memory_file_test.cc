#include "io/memory_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/file.h"

namespace landfall::io {
namespace {

TEST(MemoryFile, IsReadByItsPathAsOftenAsNeeded) {
  std::string path;
  {
    const MemoryFile file = MemoryFile::create("secret").value();
    path = file.path();
    EXPECT_EQ(read_file(path, 100).value(), "secret");
    EXPECT_EQ(read_file(path, 100).value(), "secret");
    EXPECT_TRUE(std::filesystem::read_symlink(path).string().starts_with("/memfd:")) << "on no disk";
  }
  EXPECT_FALSE(read_file(path, 100));
}

}  // namespace
}  // namespace landfall::io
