#include "base/digest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall {
namespace {

TEST(Sha256, MatchesThePublishedExamples) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

RC_GTEST_PROP(Sha256, DoesNotDependOnThePieces, (const std::string& first, const std::string& second)) {
  Sha256 hash;
  hash.update(first);
  hash.update(second);
  RC_ASSERT(hash.finish() == sha256(first + second));
}

TEST(Sha256, StartsOverAfterFinish) {
  Sha256 hash;
  hash.update("something else");
  EXPECT_NE(hash.finish(), sha256("abc"));
  hash.update("abc");
  EXPECT_EQ(hash.finish(), sha256("abc"));
}

TEST(HmacSha256, MatchesThePublishedExamples) {
  EXPECT_EQ(hex_encode(as_bytes(hmac_sha256("Jefe", "what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex_encode(as_bytes(
                hmac_sha256(std::string(131, '\xAA'), "Test Using Larger Than Block-Size Key - Hash Key First"))),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, TakesAnEmptyKeyAndNoBytes) {
  EXPECT_EQ(hex_encode(as_bytes(hmac_sha256({}, {}))),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

}  // namespace
}  // namespace landfall
