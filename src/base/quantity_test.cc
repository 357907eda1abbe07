#include "base/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/quote.h"

namespace landfall {
namespace {

Quantity read(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity) << text;
  return quantity.value_or(Quantity());
}

struct Case {
  std::string text;
  std::string printed;
  std::int64_t value;
  std::int64_t milli;
};

// Printed by k8s.io/apimachinery v0.34.4.
const std::vector<Case> kCases = {
    {"0", "0", 0, 0},
    {"00", "0", 0, 0},
    {"1", "1", 1, 1000},
    {"-1", "-1", -1, -1000},
    {"+5", "+5", 5, 5000},
    {"0005", "0005", 5, 5000},
    {"1.", "1.", 1, 1000},
    {"1.5", "1500m", 2, 1500},
    {".5", "500m", 1, 500},
    {"-.5", "-500m", -1, -500},
    {"1.500", "1.500", 2, 1500},
    {"1.5000", "1500m", 2, 1500},
    {"0.500", "500m", 1, 500},
    {"100m", "100m", 1, 100},
    {"1000m", "1", 1, 1000},
    {"1000", "1k", 1000, 1000000},
    {"999999", "999999", 999999, 999999000},
    {"1000000", "1M", 1000000, 1000000000},
    {"1n", "1n", 1, 1},
    {"1000n", "1u", 1, 1},
    {"1500u", "1500u", 1, 2},
    {"1000k", "1M", 1000000, 1000000000},
    {"1024k", "1024k", 1024000, 1024000000},
    {"3G", "3G", 3000000000, 3000000000000},
    {"5P", "5P", 5000000000000000, 5000000000000000000},
    {"1.2345k", "1234500m", 1235, 1234500},
    {"0.1m", "100u", 1, 1},
    {"0.0000000001", "1n", 1, 1},
    {"1.0000000001", "1000000001n", 2, 1001},
    {"1Ki", "1Ki", 1024, 1024000},
    {"1024Ki", "1Mi", 1048576, 1048576000},
    {"1025Ki", "1025Ki", 1049600, 1049600000},
    {"1048576Ki", "1Gi", 1073741824, 1073741824000},
    {"1.5Gi", "1536Mi", 1610612736, 1610612736000},
    {"0.5Ki", "512", 512, 512000},
    {"1.0009765625Ki", "1025", 1025, 1025000},
    {"0.1Gi", "107374182400m", 107374183, 107374182400},
    {"0.0001Ki", "102400u", 1, 103},
    {"1Pi", "1Pi", 1125899906842624, 1125899906842624000},
    {"-1Gi", "-1Gi", -1073741824, -1073741824000},
    {"+5Gi", "+5Gi", 5368709120, 5368709120000},
    {"+5Pi", "5Pi", 5629499534213120, 5629499534213120000},
    {"1.Ki", "1.Ki", 1024, 1024000},
    {"1e3", "1e3", 1000, 1000000},
    {"1E3", "1E3", 1000, 1000000},
    {"1e+3", "1e+3", 1000, 1000000},
    {"1000e3", "1e6", 1000000, 1000000000},
    {"1e-3", "1e-3", 1, 1},
    {"1.5e3", "1500", 1500, 1500000},
    {"1e-10", "1e-9", 1, 1},
    {"5e1", "50", 50, 50000},
    {"0e99", "0", 0, 0},
    {"m", "0", 0, 0},
    {"Ki", "0", 0, 0},
    {".", "0", 0, 0},
    {"-", "0", 0, 0},
};

TEST(Quantity, ReadsAndPrintsLikeKubernetes) {
  for (const Case& c : kCases) {
    const Quantity quantity = read(c.text);
    EXPECT_EQ(quantity.to_string(), c.printed) << c.text;
    EXPECT_EQ(quantity.value(), c.value) << c.text;
    EXPECT_EQ(quantity.milli_value(), c.milli) << c.text;
  }
}

TEST(Quantity, RefusesWhatKubernetesRefuses) {
  for (const char* text : {"",   "Pi", ".Pi",  "e-10", "1i", "1K",  "1mi", "1e",   "1e+",  "1ee3", "1e3.5",  "1x",
                           " 1", "1 ", "1..2", "--1",  "1-", "1+5", "e",   "1KiB", "0x10", "1_0",  "\u221E", "1,5"}) {
    const auto quantity = Quantity::parse(text);
    ASSERT_FALSE(quantity) << text;
    EXPECT_EQ(quantity.error().code(), Code::kInvalid);
  }
}

TEST(Quantity, NamesTheSuffixThatItDoesNotKnow) {
  EXPECT_EQ(Quantity::parse("10GB").error().message(),
            "invalid quantity \"10GB\": unknown suffix \"GB\"; use one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an "
            "exponent such as e6");
}

TEST(Quantity, CapsABinaryAmountAtTheLargestInt64) {
  EXPECT_EQ(read("8Ei").to_string(), "9223372036854775807");
  EXPECT_EQ(read("99999999999999999999999999999999999999999999999999Ki").value(), INT64_MAX);
  EXPECT_EQ(read("-8Ei").to_string(), "-9223372036854775807");
}

TEST(Quantity, KeepsADecimalAmountPastInt64) {
  EXPECT_EQ(read("12345678901234567890").to_string(), "12345678901234567890");
  EXPECT_EQ(read("123e21").to_string(), "123e21");
  EXPECT_EQ(read("1000E").to_string(), "1000E");
}

TEST(Quantity, StopsAtTheEndsOfInt64) {
  EXPECT_EQ(read("10E").value(), INT64_MAX);
  EXPECT_EQ(read("-10E").value(), INT64_MIN);
  EXPECT_EQ(read("7Ei").milli_value(), INT64_MAX);
  EXPECT_EQ(read("-6E").milli_value(), INT64_MIN);
}

TEST(Quantity, RoundsANegativeAmountAwayFromZeroToo) {
  EXPECT_EQ(read("-1.5").value(), -2);
  EXPECT_EQ(read("-0.0000000001").to_string(), "-1n");
  EXPECT_EQ(read("-0.0000000001").value(), -1);
}

TEST(Quantity, RefusesAnAmountPastItsLimit) {
  EXPECT_TRUE(Quantity::parse("7e28"));
  EXPECT_EQ(Quantity::parse("1e29").error().message(), "invalid quantity \"1e29\": it is larger than 8e28");
  EXPECT_FALSE(Quantity::parse("1e9223372036854775807"));
  EXPECT_FALSE(Quantity::parse("-" + std::string(100, '9')));
}

TEST(Quantity, TakesAnyNumberOfDigits) {
  EXPECT_EQ(read(std::string(100'000, '0') + "1" + "." + std::string(100'000, '0') + "1Ki").to_string(),
            "1024000000001n");
  EXPECT_EQ(read("1e-9223372036854775807").to_string(), "1e-9");
}

TEST(Quantity, ComparesByAmount) {
  EXPECT_EQ(read("1Gi"), read("1024Mi"));
  EXPECT_EQ(read("1"), read("1000m"));
  EXPECT_LT(read("1G"), read("1Gi"));
  EXPECT_LT(read("-1"), read("1n"));
}

struct Sum {
  std::string a;
  std::string b;
  std::string sum;
  std::string difference;
};

TEST(Quantity, AddsAndSubtractsLikeKubernetes) {
  const std::vector<Sum> sums = {{"1Gi", "1G", "2073741824", "73741824"},
                                 {"500m", "1", "1500m", "-500m"},
                                 {"0", "1Gi", "1Gi", "-1Gi"},
                                 {"1", "1Gi", "1073741825", "-1073741823"},
                                 {"1Gi", "1500m", "1073741825500m", "1073741822500m"},
                                 {"1e3", "1", "1001", "999"},
                                 {"1Gi", "1Gi", "2Gi", "0"},
                                 {"0.5", "1Mi", "1048576500m", "-1048575500m"},
                                 {"1Ki", "1n", "1024000000001n", "1023999999999n"},
                                 {"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"}};
  for (const Sum& c : sums) {
    EXPECT_EQ((read(c.a) + read(c.b)).to_string(), c.sum) << c.a << " + " << c.b;
    EXPECT_EQ((read(c.a) - read(c.b)).to_string(), c.difference) << c.a << " - " << c.b;
  }
}

TEST(Quantity, ASumStopsAtTheLimit) {
  Quantity sum = read("7e28");
  sum += sum;
  sum += sum;
  EXPECT_EQ(sum.to_string(), "80e27");
  EXPECT_EQ((Quantity() - sum - sum).to_string(), "-80e27");
}

TEST(Quantity, CanBeMadeFromANumber) {
  EXPECT_EQ(Quantity::of(3LL << 30, Quantity::Format::kBinarySi).to_string(), "3Gi");
  EXPECT_EQ(Quantity::of(INT64_MIN).to_string(), "-9223372036854775808");
}

RC_GTEST_PROP(Quantity, ReadsBackWhatItPrints, (std::int64_t mantissa)) {
  const std::string suffix = *rc::gen::elementOf(std::vector<std::string>{
      "", "n", "u", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e2", "e-5", "E7"});
  // At most 5e11 of them, so that no suffix leads past the limit.
  const Quantity quantity = read(std::to_string(mantissa >> *rc::gen::inRange(24, 63)) + suffix);
  const Quantity again = read(quantity.to_string());
  RC_ASSERT(again == quantity);
  RC_ASSERT(again.to_string() == quantity.to_string());
}

}  // namespace
}  // namespace landfall
