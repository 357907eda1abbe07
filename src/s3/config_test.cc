#include "s3/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "s3/endpoint.h"
#include "testkit/temp_dir.h"

namespace landfall::s3 {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using ConfigMap = std::map<std::string, std::string>;

std::string error_of(const ConfigMap& config) {
  const auto parsed = parse_config(config);
  EXPECT_FALSE(parsed) << "accepted";
  return parsed ? "" : parsed.error().message();
}

TEST(Config, ReadsEveryKeyOfVelero) {
  const auto config = parse_config({{"bucket", "/b/"},
                                    {"prefix", "p"},
                                    {"region", "minio"},
                                    {"s3Url", "https://s3.example.com:9000"},
                                    {"publicUrl", "https://public.example.com"},
                                    {"s3ForcePathStyle", "True"},
                                    {"insecureSkipTLSVerify", "0"},
                                    {"profile", "p1"},
                                    {"kmsKeyId", "alias/k"},
                                    {"serverSideEncryption", "AES256"},
                                    {"checksumAlgorithm", ""},
                                    {"tagging", "a=1&b=%20"},
                                    {"signatureVersion", "4"},
                                    {"enableSharedConfig", "true"},
                                    {"caCert", "PEM"},
                                    {"credentialsFile", "/c"}});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->bucket, "b");
  EXPECT_EQ(config->server_side_encryption, "aws:kms");
  EXPECT_EQ(config->checksum, ChecksumAlgorithm::kNone);
  EXPECT_TRUE(config->force_path_style);
  EXPECT_FALSE(config->skip_tls_verification);
  EXPECT_EQ(parse_config({{"bucket", "b"}})->checksum, ChecksumAlgorithm::kCrc32);
}

TEST(Config, NamesTheKeyThatIsWrong) {
  EXPECT_THAT(error_of({{"bucket", "b"}, {"s3URL", "x"}}), AllOf(HasSubstr("\"s3URL\""), HasSubstr("s3Url")));
  EXPECT_THAT(error_of({}), HasSubstr("bucket: missing"));
  EXPECT_THAT(error_of({{"bucket", "b/c"}}), HasSubstr("prefix"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"s3Url", "ftp://x"}}), HasSubstr("s3Url"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"s3Url", "https://user:password@x"}}),
              AllOf(HasSubstr("s3Url"), testing::Not(HasSubstr("password"))));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"s3ForcePathStyle", "yes"}}), HasSubstr("s3ForcePathStyle"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"checksumAlgorithm", "MD5"}}), HasSubstr("CRC32C"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"kmsKeyId", "k"}, {"customerKeyEncryptionFile", "f"}}),
              HasSubstr("kmsKeyId"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"customerKeyEncryptionSecret", "s/k"}, {"customerKeyEncryptionFile", "f"}}),
              HasSubstr("choose one"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"customerKeyEncryptionFile", "f"}, {"s3Url", "http://x"}}),
              HasSubstr("https"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"tagging", "a=1&b"}}), HasSubstr("tagging"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"tagging", "a=1&a=2"}}), HasSubstr("twice"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"tagging", "a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11"}}),
              HasSubstr("ten"));
  EXPECT_THAT(error_of({{"bucket", "b"}, {"region", "eu/../x"}}), HasSubstr("region"));
}

TEST(Config, WantsCustomerKeysOf32Bytes) {
  const testkit::TempDir dir;
  const std::string key(32, 'k');
  S3Config config;
  config.customer_key_file = dir.write("key", key);
  EXPECT_EQ(*load_customer_key(config, {}), key);
  config.customer_key_file = dir.write("long", key + "\n");
  const auto too_long = load_customer_key(config, {});
  EXPECT_THAT(too_long.error().message(), AllOf(HasSubstr("exactly 32"), testing::Not(HasSubstr("kkkk"))));

  config.customer_key_file.clear();
  config.customer_key_secret = "name/key";
  EXPECT_EQ(load_customer_key(config, {}).error().code(), Code::kUnsupported);
  const auto from_secret = load_customer_key(config, [&](const std::string& secret, const std::string& entry) {
    return Result<std::string>(secret == "name" && entry == "key" ? key : "");
  });
  EXPECT_EQ(*from_secret, key);
}

std::string address(const ConfigMap& config, const std::string& key = "a/b c",
                    const std::string& region = "eu-west-1") {
  const auto endpoint = Endpoint::create(*parse_config(config));
  EXPECT_TRUE(endpoint) << endpoint.error().message();
  return endpoint ? io::to_string(endpoint->object(key, region)) : "";
}

TEST(Endpoint, PutsTheBucketWhereTheServerExpectsIt) {
  EXPECT_EQ(address({{"bucket", "bkt"}}), "https://bkt.s3.eu-west-1.amazonaws.com/a/b%20c");
  EXPECT_EQ(address({{"bucket", "bkt"}}, "", "cn-north-1"), "https://bkt.s3.cn-north-1.amazonaws.com.cn/");
  EXPECT_EQ(address({{"bucket", "b.kt"}}), "https://s3.eu-west-1.amazonaws.com/b.kt/a/b%20c");
  EXPECT_EQ(address({{"bucket", "bkt"}, {"s3ForcePathStyle", "true"}}, ""), "https://s3.eu-west-1.amazonaws.com/bkt");
  EXPECT_EQ(address({{"bucket", "b.kt"}, {"s3Url", "http://s3.example.com:9000/"}}),
            "http://b.kt.s3.example.com:9000/a/b%20c");
  EXPECT_EQ(address({{"bucket", "bkt"}, {"s3Url", "http://10.0.0.1:9000/base/"}}),
            "http://10.0.0.1:9000/base/bkt/a/b%20c");
  EXPECT_EQ(address({{"bucket", "bkt"}, {"s3Url", "http://[::1]:9000"}}, ""), "http://[::1]:9000/bkt");
  EXPECT_EQ(address({{"bucket", "bkt"}, {"s3Url", "http://minio:9000"}}, ""), "http://minio:9000/bkt");
  EXPECT_EQ(address({{"bucket", "Old_Bucket"}}, ""), "https://s3.eu-west-1.amazonaws.com/Old_Bucket");
  EXPECT_EQ(address({{"bucket", "arn:aws:s3:eu-west-1:123456789012:accesspoint/point"}}, "k"),
            "https://point-123456789012.s3-accesspoint.eu-west-1.amazonaws.com/k");
  EXPECT_EQ(address({{"bucket", "arn:aws:s3::123456789012:accesspoint/mfzwi23gnjvgw.mrap"}}, "k", "*"),
            "https://mfzwi23gnjvgw.mrap.accesspoint.s3-global.amazonaws.com/k");
}

TEST(Endpoint, RefusesAnArnThatIsNoAccessPoint) {
  for (const char* arn :
       {"arn:aws:s3:::bucket", "arn:aws:s3:eu-west-1:12:accesspoint/a.b", "arn:aws:s3::12:accesspoint/a",
        "arn:aws:s3:eu-west-1:x/y:accesspoint/a", "arn:aws:s3:EU:12:accesspoint/abc"}) {
    EXPECT_FALSE(Endpoint::create(*parse_config({{"bucket", arn}}))) << arn;
  }
}

TEST(Endpoint, KnowsTheRegionFromTheConfigOrTheAddress) {
  const auto region_of = [](const ConfigMap& config) {
    return Endpoint::create(*parse_config(config))->known_region();
  };
  EXPECT_EQ(region_of({{"bucket", "bkt"}}), "");
  EXPECT_EQ(region_of({{"bucket", "bkt"}, {"region", "eu-west-1"}}), "eu-west-1");
  EXPECT_EQ(region_of({{"bucket", "bkt"}, {"s3Url", "https://s3.eu-central-1.amazonaws.com"}}), "eu-central-1");
  EXPECT_EQ(region_of({{"bucket", "bkt"}, {"s3Url", "https://bucket.vpce-0a1b-9.s3.eu-west-2.vpce.amazonaws.com"}}),
            "eu-west-2");
  EXPECT_EQ(region_of({{"bucket", "bkt"}, {"s3Url", "http://minio:9000"}}), "us-east-1");
}

TEST(Endpoint, TakesOnlyARegionFromARedirect) {
  const auto aws = Endpoint::create(*parse_config({{"bucket", "bkt"}, {"region", "us-east-1"}}));
  EXPECT_EQ(aws->region_of_redirect(*io::parse_url("https://bkt.s3-eu-west-1.amazonaws.com/k")), "eu-west-1");
  EXPECT_EQ(aws->region_of_redirect(*io::parse_url("https://bkt.s3.eu-west-1.example.com/k")), "");
  const auto own = Endpoint::create(*parse_config({{"bucket", "bkt"}, {"s3Url", "http://minio:9000"}}));
  EXPECT_EQ(own->region_of_redirect(*io::parse_url("https://bkt.s3-eu-west-1.amazonaws.com/k")), "");
}

}  // namespace
}  // namespace landfall::s3
