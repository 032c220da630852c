#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>

#include "manifest/read.h"

using namespace fluxhook::manifest;

// Expected values are those of kubectl 1.32 (`kubectl label --local -o json`).
TEST_CASE("plain scalars are read as kubectl reads them", "[manifest]") {
  struct Row {
    const char* yaml;
    const char* json;
  };
  const auto row = GENERATE_COPY(Catch::Generators::from_range(std::vector<Row>{
      {"y", "true"},
      {"Y", "true"},
      {"yes", "true"},
      {"Yes", "true"},
      {"on", "true"},
      {"True", "true"},
      {"n", "false"},
      {"no", "false"},
      {"Off", "false"},
      {"FALSE", "false"},
      {"yEs", R"("yEs")"},
      {"yess", R"("yess")"},
      {"~", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"nULL", R"("nULL")"},
      {"0x1F", "31"},
      {"0o14", "12"},
      {"0b101", "5"},
      {"0777", "511"},
      {"09", "9"},
      {"0o8", R"("0o8")"},
      {"00", "0"},
      {"-01", "-1"},
      {"+0x1", "1"},
      {"-0b11", "-3"},
      {"0x", R"("0x")"},
      {"0_7", "7"},
      {"1_000", "1000"},
      {"1__0", "10"},
      {"5_", "5"},
      {"_5", R"("_5")"},
      {"+1", "1"},
      {"-0", "0"},
      {"1e3", "1000"},
      {"1E3", "1000"},
      {"1e+3", "1000"},
      {"1e", R"("1e")"},
      {"1.0", "1"},
      {"1.", "1"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+.5", "0.5"},
      {".1e2", "10"},
      {"0.1", "0.1"},
      {"1e5", "100000"},
      {"1e400", R"("1e400")"},
      {"1.0e-444", "0"},
      {"5e-324", "5e-324"},
      {"0x1.8p1", R"("0x1.8p1")"},
      {"1E+21", "1e+21"},
      {"1e-7", "1e-07"},
      {"100000000000000000000000.5", "1.0000000000000001e+23"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"1:30", R"("1:30")"},
      {"2001-12-14", R"("2001-12-14")"},
      {"2001-12-14T21:59:43Z", R"("2001-12-14T21:59:43Z")"},
      {"=", R"("=")"},
      {".", R"(".")"},
      {"10.0.0.1", R"("10.0.0.1")"},
      {"500m", R"("500m")"},
      {R"("yes")", R"("yes")"},
      {"'1'", R"("1")"},
      {"!!str 5", R"("5")"},
      {R"(!!int "5")", "5"},
      {"!!float 5", "5"},
      {R"(!!float "1e3")", "1000"},
      {R"(!!bool "yes")", "true"},
      {R"(!!null "")", "null"},
      {"!!str", R"("")"},
      {"! 5", R"("5")"},
      {"!foo bar", R"("bar")"},
      {"!!timestamp 2001-01-01", R"("2001-01-01")"},
  }));
  CAPTURE(row.yaml);
  CHECK(read("v: " + std::string(row.yaml)) == R"({"v":)" + std::string(row.json) + "}");
}

TEST_CASE("integers of any size keep their digits", "[manifest]") {
  CHECK(read("v: 18446744073709551615") == R"({"v":18446744073709551615})");
  CHECK(read("v: 123456789012345678901234567890") == R"({"v":123456789012345678901234567890})");
  CHECK(read(R"({"v": 123456789012345678901234567890})") == R"({"v":123456789012345678901234567890})");
  CHECK(read(R"({"v": 9007199254740993, "w": -9223372036854775808})") ==
        R"({"v":9007199254740993,"w":-9223372036854775808})");
}

TEST_CASE("numbers that JSON does not have are refused", "[manifest]") {
  CHECK(read("a: 1\nv: .inf") == "<stdin>:2:4: JSON has no .inf: quote it if it is text");
  CHECK(read("v: [1, .NaN]") == "<stdin>:1:8: JSON has no .NaN: quote it if it is text");
  CHECK(read("v: 0xFFFFFFFFFFFFFFFFF") == "<stdin>:1:4: an integer beyond 64 bits has to be decimal");
  CHECK(read("v: !!int x") == R"(<stdin>:1:4: "x" is no !!int)");
  CHECK(read("v: !!binary aGk=") == "<stdin>:1:4: !!binary is not supported: write the text in base64");
}

TEST_CASE("keys become strings as kubectl makes them", "[manifest]") {
  CHECK(read("{yes: 1, 1: 2, 1.5: 3, 1e3: 4}") == R"({"true":1,"1":2,"1.5":3,"1000":4})");
  CHECK(read("~: 1") == "<stdin>:1:1: a key can't be null: quote it if it is text");
  CHECK(read("a: 1\n? [a]\n: b") == "<stdin>:2:3: a key can't be a list or an object");
}
