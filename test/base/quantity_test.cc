#include "fluxhook/base/quantity.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <string_view>

using fluxhook::parse_quantity;

namespace {

struct Good {
  std::string_view text;
  std::int64_t milli;
};

// What MilliValue() of k8s.io/apimachinery 0.34's ParseQuantity gives.
constexpr Good kGood[] = {
    {"0", 0},
    {"1", 1000},
    {"2", 2000},
    {"0.5", 500},
    {".5", 500},
    {"5.", 5000},
    {"500m", 500},
    {"1500m", 1500},
    {"1e3", 1000000},
    {"1E3", 1000000},
    {"1e+3", 1000000},
    {"1e-3", 1},
    {"12E-1", 1200},
    {"1k", 1000000},
    {"1M", 1000000000},
    {"1G", 1000000000000},
    {"1T", 1000000000000000},
    {"1P", 1000000000000000000},
    {"0.001E", 1000000000000000000},
    {"1Ki", 1024000},
    {"1Mi", 1048576000},
    {"1.5Gi", 1610612736000},
    {"1Ti", 1099511627776000},
    {"1Pi", 1125899906842624000},
    {"0.001Ei", 1152921504606846976},
    {"0.1Ki", 102400},
    {"0.1Mi", 104857600},
    {"1n", 1},
    {"1u", 1},
    {"999u", 1},
    {"1000u", 1},
    {"1001u", 2},
    {"1000000n", 1},
    {"1000001n", 2},
    {"0.0001", 1},
    {"0.1m", 1},
    {"1.0001", 1001},
    {"-1", -1000},
    {"-500m", -500},
    {"-0.1m", -1},
    {"+2", 2000},
    {"007", 7000},
    {"0.000", 0},
    {"9223372036854775", 9223372036854775000},
    {"9223372036854775807m", 9223372036854775807},
    {"9223372036854775.807", 9223372036854775807},
    {"1e-30", 1},
    {"1.0000000000000000000000000001", 1001},
    {"123456789012345.678901234567890", 123456789012345679},
    {"0e99", 0},
};

// Valid quantities whose thousandths int64 can't hold.
constexpr std::string_view kHuge[] = {"1E",
                                      "9E",
                                      "1Ei",
                                      "7Ei",
                                      "8Ei",
                                      "100Ei",
                                      "1e30",
                                      "9223372036854776",
                                      "9223372036854775.8071",
                                      "99999999999999999999",
                                      "0.1e2147483647"};

// What neither ParseQuantity nor the pattern takes that a CRD has for quantities.
constexpr std::string_view kBad[] = {
    "",      "+",    "-",  ".",    "e3",   "1e",    "1E+",  "m",       "1 ",       " 1",
    "1mm",   "1e3m", "1K", "1ki",  "1Kib", "1e1.5", "1..2", "1.2.3",   "0x10",     "1_000",
    "1e+-3", "--1",  "1i", "1Ein", "Inf",  "NaN",   "1,5",  "2 cores", "\xd9\xa1", "1e99999999999"};

} // namespace

TEST_CASE("a quantity's thousandths are those of the API server", "[base]") {
  for (const auto& [text, milli] : kGood) {
    CAPTURE(text);
    const auto quantity = parse_quantity(text);
    REQUIRE(quantity);
    CHECK(quantity->milli == milli);
  }
}

TEST_CASE("whole units are rounded down", "[base]") {
  CHECK(parse_quantity("1500m")->whole() == 1);
  CHECK(parse_quantity("999m")->whole() == 0);
  CHECK(parse_quantity("64")->whole() == 64);
}

TEST_CASE("a quantity beyond int64 saturates", "[base]") {
  for (std::string_view text : kHuge) {
    CAPTURE(text);
    const auto quantity = parse_quantity(text);
    REQUIRE(quantity);
    CHECK(quantity->milli == INT64_MAX);
    CHECK(parse_quantity("-" + std::string(text))->milli == -INT64_MAX);
  }
}

TEST_CASE("what is no quantity is an error that shows it", "[base]") {
  for (std::string_view text : kBad) {
    CAPTURE(text);
    const auto quantity = parse_quantity(text);
    REQUIRE_FALSE(quantity);
    CHECK(quantity.error().what.find("is not a quantity: a number such as 2, 0.5, 500m") !=
          std::string::npos);
  }
}

TEST_CASE("a quantity of a million digits is read", "[base]") {
  CHECK(parse_quantity(std::string(1'000'000, '9') + "Ei")->milli == INT64_MAX);
  CHECK(parse_quantity("0." + std::string(1'000'000, '0') + "1Ki")->milli == 1);
}
