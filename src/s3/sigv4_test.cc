#include "s3/sigv4.h"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <memory>

#include "base/digest.h"
#include "base/freed_by.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "s3/sigv4a.h"

namespace landfall::s3 {
namespace {

// The examples of the S3 API reference, "Authenticating Requests (AWS Signature Version 4)".
const Credentials kS3User{.access_key_id = "AKIAIOSFODNN7EXAMPLE",
                          .secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                          .session_token = "",
                          .expires = std::nullopt};

SigningScope s3_scope() {
  return {.region = "us-east-1", .service = "s3", .time = *parse_rfc3339("2013-05-24T00:00:00Z")};
}

struct S3Example {
  std::string name;
  SignedParts parts;
  std::string signature;
};

SignedParts s3_get(std::string path, io::QueryParameters query, io::HttpHeaders more = {}) {
  SignedParts parts{.method = "GET",
                    .path = std::move(path),
                    .query = std::move(query),
                    .headers = {{"Host", "examplebucket.s3.amazonaws.com"}},
                    .payload_hash = std::string(kEmptyPayload)};
  for (const auto& [name, value] : more.fields()) {
    parts.headers.add(name, value);
  }
  return parts;
}

TEST(SigV4, GivesTheSignaturesOfTheS3Reference) {
  SignedParts put = s3_get("/test%24file.text", {},
                           {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}});
  put.method = "PUT";
  put.payload_hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
  const std::vector<S3Example> examples{
      {"get object", s3_get("/test.txt", {}, {{"Range", "bytes=0-9"}}),
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {"put object", put, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
      {"get lifecycle", s3_get("/", {{"lifecycle", ""}}),
       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {"list objects", s3_get("/", {{"prefix", "J"}, {"max-keys", "2"}}),
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
  };
  for (S3Example example : examples) {
    sign_headers(example.parts, kS3User, s3_scope());
    const std::string authorization(example.parts.headers.get("Authorization").value_or(""));
    EXPECT_TRUE(strip_suffix(authorization, ",Signature=" + example.signature)) << example.name << authorization;
  }
}

TEST(SigV4, PresignsAsTheS3ReferenceDoes) {
  SignedParts parts = s3_get("/test.txt", {});
  parts.payload_hash = kUnsignedPayload;
  const auto query = presigned_query(parts, kS3User, s3_scope(), std::chrono::seconds(86400));
  EXPECT_EQ(io::build_query(query),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F"
            "aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SigV4, SignsTheSessionTokenWithTheRest) {
  Credentials temporary = kS3User;
  temporary.session_token = "the/token==";
  SignedParts parts = s3_get("/", {});
  sign_headers(parts, temporary, s3_scope());
  EXPECT_EQ(parts.headers.get("X-Amz-Security-Token"), "the/token==");
  EXPECT_TRUE(contains(*parts.headers.get("Authorization"),
                       "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"));
  const auto query = presigned_query(s3_get("/", {}), temporary, s3_scope(), std::chrono::seconds(60));
  EXPECT_TRUE(contains(io::build_query(query), "X-Amz-Security-Token=the%2Ftoken%3D%3D"));
}

// The key pair of AWS's own tests of Version 4A.
const Credentials kV4aUser{.access_key_id = "AKISORANDOMAASORANDOM",
                           .secret_access_key = "q+jcrXGc+0zWN6uzclKVhvMmUsIfRPa4rlRandom",
                           .session_token = "",
                           .expires = std::nullopt};
constexpr const char* kV4aPublicKey =
    "04"
    "15d242ceebf8d8169fd6a8b5a746c41140414c3b07579038da06af89190fffcb"
    "0515242cedd82e94799482e4c0514b505afccf2c0c98d6a553bf539f424c5ec0";

bool verifies(const std::string& signature_hex, const std::string& text) {
  const std::string point = *hex_decode(kV4aPublicKey);
  const std::string signature = *hex_decode(signature_hex);
  std::string curve = "prime256v1";
  std::string public_key = point;
  const std::array params{
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, curve.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, public_key.data(), public_key.size()),
      OSSL_PARAM_construct_end()};
  const std::unique_ptr<EVP_PKEY_CTX, FreedBy<EVP_PKEY_CTX_free>> from(
      EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  EVP_PKEY_fromdata_init(from.get());
  EVP_PKEY_fromdata(from.get(), &key, EVP_PKEY_PUBLIC_KEY, const_cast<OSSL_PARAM*>(params.data()));
  const std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>> owned(key);
  const std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key);
  const auto bytes = [](const std::string& data) { return reinterpret_cast<const unsigned char*>(data.data()); };
  return EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(text), text.size()) == 1;
}

TEST(SigV4a, DerivesTheKeyOfAwssTests) {
  EXPECT_EQ(hex_encode(derive_private_key(kV4aUser)),
            "7fd3bd010c0d9c292141c2b77bfbde1042c92e6836fff749d1269ec890fca1bd");
}

TEST(SigV4a, SignsForAllRegionsSoThatThePublicKeyTells) {
  SignedParts parts = s3_get("/", {});
  const SigningScope scope{.region = std::string(kAllRegions), .service = "s3", .time = s3_scope().time};
  sign_headers(parts, kV4aUser, scope);
  const std::string authorization(*parts.headers.get("Authorization"));
  EXPECT_EQ(parts.headers.get("X-Amz-Region-Set"), "*");
  EXPECT_TRUE(
      authorization.starts_with("AWS4-ECDSA-P256-SHA256 Credential=AKISORANDOMAASORANDOM/20130524/s3/aws4_request,"
                                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-region-set,Signature="));
  SignedParts without = parts;
  without.headers.remove("Authorization");
  const std::string to_sign =
      "AWS4-ECDSA-P256-SHA256\n20130524T000000Z\n20130524/s3/aws4_request\n" + sha256_hex(canonical_request(without));
  const std::string signature = authorization.substr(authorization.rfind('=') + 1);
  EXPECT_TRUE(verifies(signature, to_sign));
  EXPECT_FALSE(verifies(signature, to_sign + "x"));
}

// AWS's test suite for any service.
struct SuiteCase {
  std::string name;
  std::string method;
  std::string path;
  io::QueryParameters query;
  io::HttpHeaders headers;
  std::string signature;
};

TEST(SigV4, GivesTheSignaturesOfTheTestSuite) {
  const Credentials user{.access_key_id = "AKIDEXAMPLE",
                         .secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                         .session_token = "",
                         .expires = std::nullopt};
  const SigningScope scope{.region = "us-east-1", .service = "service", .time = *parse_rfc3339("2015-08-30T12:36:00Z")};
  const std::string unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const std::vector<SuiteCase> cases{
      {"get-vanilla", "GET", "/", {}, {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"get-utf8",
       "GET",
       io::percent_encode_path("/ሴ"),
       {},
       {},
       "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
      {"get-vanilla-query-order-key-case",
       "GET",
       "/",
       {{"Param2", "value2"}, {"Param1", "value1"}},
       {},
       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"get-vanilla-query-unreserved",
       "GET",
       "/",
       {{unreserved, unreserved}},
       {},
       "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
      {"get-header-key-duplicate",
       "GET",
       "/",
       {},
       {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
       "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
      {"get-header-value-trim",
       "GET",
       "/",
       {},
       {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"post-vanilla", "POST", "/", {}, {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
  };
  for (const SuiteCase& test : cases) {
    SignedParts parts{.method = test.method,
                      .path = test.path,
                      .query = test.query,
                      .headers = test.headers,
                      .payload_hash = std::string(kEmptyPayload)};
    parts.headers.add("Host", "example.amazonaws.com");
    parts.headers.add("X-Amz-Date", "20150830T123600Z");
    EXPECT_EQ(sign(parts, user, scope), test.signature) << test.name << "\n" << canonical_request(parts);
  }
}

}  // namespace
}  // namespace landfall::s3
