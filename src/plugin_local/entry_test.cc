#include "plugin_local/entry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall::plugin_local {
namespace {

RC_GTEST_PROP(EntryLines, AreReadAsTheyWereWritten, (const std::string& name, const std::string& value)) {
  Entry entry;
  for (const char c : name) entry.path += c == '/' || c == '\0' ? '_' : c;
  entry.path = "x" + entry.path;
  for (const char c : value) entry.target += c == '\0' ? '_' : c;
  entry.attributes["user." + entry.target] = value;
  entry.device = *rc::gen::arbitrary<std::uint64_t>();
  entry.inode = *rc::gen::arbitrary<std::uint64_t>();
  entry.modified = *rc::gen::arbitrary<std::int64_t>();
  const auto read = parse_line(to_line(entry));
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->path == entry.path);
  RC_ASSERT(read->target == entry.target);
  RC_ASSERT(read->attributes == entry.attributes);
  RC_ASSERT(read->device == entry.device);
  RC_ASSERT(read->inode == entry.inode);
  RC_ASSERT(read->modified == entry.modified);
}

TEST(EntryLines, ThatLeadOutOfTheTreeAreRefused) {
  for (const std::string path :
       {"", "/", "/etc", "..", "../x", "a/../b", "a//b", "a/", "./a", "a%00b", "a%2f%2e%2e", "a%"}) {
    EXPECT_FALSE(parse_line(R"({"type":"file","path":")" + path + "\"}")) << path;
    EXPECT_FALSE(parse_line(R"({"type":"file","path":"a","sameAs":")" + path + "\"}")) << path;
  }
  EXPECT_FALSE(parse_line(R"({"type":"door","path":"a"})"));
  EXPECT_FALSE(parse_line(R"({"type":"file"})"));
  EXPECT_FALSE(parse_line("null"));
  EXPECT_FALSE(parse_line(""));
}

}  // namespace
}  // namespace landfall::plugin_local
