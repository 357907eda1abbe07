#include "extension/object_source.h"

#include <gtest/gtest.h>

#include "testkit/temp_dir.h"

namespace landfall::extension {
namespace {

std::string content_of(const ObjectSource& source) {
  const auto reader = source.open();
  if (!reader) return reader.error().message();
  return io::read_all(**reader, 1000).value();
}

TEST(ObjectSource, ReadsBytesAndSpooledFilesAgain) {
  const BytesSource bytes("hello");
  EXPECT_EQ(content_of(bytes), "hello");
  EXPECT_EQ(content_of(bytes), "hello");
  EXPECT_EQ(bytes.size(), 5U);

  const testkit::TempDir directory;
  auto file = io::SpoolFile::create(directory.path().string()).value();
  ASSERT_TRUE(file.write("spooled"));
  ASSERT_TRUE(file.close());
  const SpoolSource spooled(file);
  EXPECT_EQ(content_of(spooled), "spooled");
  EXPECT_EQ(content_of(spooled), "spooled");
  EXPECT_EQ(spooled.size(), 7U);
}

TEST(ObjectSource, SaysThatAStreamComesOnlyOnce) {
  io::StringReader reader("once");
  const StreamSource stream(reader);
  EXPECT_EQ(content_of(stream), "once");
  ASSERT_FALSE(stream.open());
  EXPECT_EQ(stream.open().error().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace landfall::extension
