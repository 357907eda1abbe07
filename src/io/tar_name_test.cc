#include "io/tar_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall::io {
namespace {

TEST(SafeRelativeName, LeavesAPlainNameAsItIs) {
  EXPECT_EQ(safe_relative_name("resources/pods/namespaces/a/b.json"), "resources/pods/namespaces/a/b.json");
  EXPECT_EQ(safe_relative_name("..a/b../...c"), "..a/b../...c");
  EXPECT_EQ(safe_relative_name("\xff\xfe"), "\xff\xfe");
}

TEST(SafeRelativeName, TakesOutWhatOtherProgramsAdd) {
  EXPECT_EQ(safe_relative_name("./metadata/version"), "metadata/version");
  EXPECT_EQ(safe_relative_name("a//b/./c/"), "a/b/c");
}

TEST(SafeRelativeName, RefusesWhatLeadsElsewhere) {
  for (const std::string_view name :
       {std::string_view(""), std::string_view("."), std::string_view("./"), std::string_view("/"),
        std::string_view("/etc/passwd"), std::string_view(".."), std::string_view("../a"),
        std::string_view("a/../../b"), std::string_view("a/.."), std::string_view("./../a"),
        std::string_view("a\0b", 3), std::string_view("..\\a"), std::string_view("C:\\a")}) {
    const auto result = safe_relative_name(name);
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().code(), Code::kInvalid);
  }
}

TEST(SafeRelativeName, ShowsTheNameInTheMessage) {
  EXPECT_EQ(safe_relative_name(std::string_view("a/../\x01", 6)).error().message(),
            "unsafe name \"a/../\\x01\" in an archive: it leads out of the archive");
  EXPECT_LT(safe_relative_name("/" + std::string(100'000, 'x')).error().message().size(), 500U);
}

RC_GTEST_PROP(SafeRelativeName, WhatItReturnsIsSafeAndStays, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a", ".", "..", "", "/", "b.json", "\\", std::string(1, '\0')));
  std::string name;
  for (const std::string& part : parts) {
    name += part + (*rc::gen::arbitrary<bool>() ? "/" : "");
  }
  const auto safe = safe_relative_name(name);
  if (safe) {
    RC_ASSERT(safe_relative_name(*safe) == *safe);
    const std::string framed = "/" + *safe + "/";
    RC_ASSERT(framed.find("/../") == std::string::npos);
    RC_ASSERT(framed.find("/./") == std::string::npos);
    RC_ASSERT(framed.find("//") == std::string::npos);
  }
}

}  // namespace
}  // namespace landfall::io
