#include <catch2/catch_test_macros.hpp>

#include <string>

#include "manifest/read.h"

using namespace fluxhook::manifest;

TEST_CASE("line ends of Windows and old Macs, and a byte order mark, change nothing", "[manifest]") {
  const std::string expected = R"({"v":"a\nb\n","w":"x y"})";
  CHECK(read("v: |\n  a\n  b\nw: \"x\n  y\"\n") == expected);
  CHECK(read("v: |\r\n  a\r\n  b\r\nw: \"x\r\n  y\"\r\n") == expected);
  CHECK(read("v: |\r  a\r  b\rw: \"x\r  y\"\r") == expected);
  CHECK(read("\xEF\xBB\xBFv: |\n  a\n  b\nw: \"x\n  y\"\n") == expected);
  CHECK(read("\xEF\xBB\xBF{\"v\": 1}") == R"({"v":1})");
}

TEST_CASE("text that is not UTF-8 is refused at its first bad byte", "[manifest]") {
  CHECK(read("a: 1\nb: \xFF") == "<stdin>:2:4: invalid leading UTF-8 octet; a manifest is UTF-8 text");
  CHECK(read("a: 1\nb: x\xC3(") == "<stdin>:2:6: invalid trailing UTF-8 octet; a manifest is UTF-8 text");
  CHECK(read("a: \x01") == "<stdin>:1:4: control characters are not allowed; a manifest is UTF-8 text");
  CHECK(read(std::string("\xFF\xFE"
                         "a\0:\0",
                         6)) ==
        "<stdin>:1:1: invalid leading UTF-8 octet (UTF-16?); a manifest is UTF-8 text");
  CHECK(read("{\"a\": \"\xFF\"}")
            .starts_with("<stdin>:1:8: syntax error while parsing value - invalid string"));
}

TEST_CASE("a key that is there twice is an error that names both places", "[manifest]") {
  CHECK(read("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n") ==
        "<stdin>:5:3: the key \"c\" is here a second time, first in line 3, column 3");
  CHECK(read("{a: 1, \"a\": 2}") ==
        "<stdin>:1:8: the key \"a\" is here a second time, first in line 1, column 2");
  CHECK(read("1: a\n'1': b") ==
        "<stdin>:2:1: the key \"1\" is here a second time, first in line 1, column 1");
  CHECK(read("{\"a\": 1,\n \"a\": 2}") ==
        "<stdin>:2:2: the key \"a\" is here a second time, first in line 1, column 2");
}

TEST_CASE("anchors and aliases stand for their values", "[manifest]") {
  CHECK(read("a: &x {b: 1}\nc: *x\nd: [*x, *x]") == R"({"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]})");
  CHECK(read("a: &x 1\nb: &x 2\nc: *x") == R"({"a":1,"b":2,"c":2})");
  CHECK(read("a: &x {b: &x 1}\nc: *x") == R"({"a":{"b":1},"c":1})"); // as kubectl
  CHECK(read("&k a: 1\nb: *k\n") == R"({"a":1,"b":"a"})");
  CHECK(read("b: *x") == "<stdin>:1:4: no anchor &x above this alias");
  CHECK(read("a: &x [*x]") == "<stdin>:1:8: the anchor &x contains itself");
}

TEST_CASE("merge keys add what is not there", "[manifest]") {
  CHECK(read("v: {<<: {a: 2, b: 3}, a: 1}") == R"({"v":{"b":3,"a":1}})");
  CHECK(read("v: {<<: [{a: 1}, {a: 2, b: 3}]}") == R"({"v":{"a":1,"b":3}})");
  CHECK(read("x: &x {a: 1}\nv:\n  <<: *x\n  c: 2") == R"({"x":{"a":1},"v":{"a":1,"c":2}})");
  CHECK(read("v: {\"<<\": {a: 1}}") == R"({"v":{"<<":{"a":1}}})");
  CHECK(read("v: {<<: 5}") == "<stdin>:1:5: << takes an object, or a list of objects");
}

// kubectl lets the merge key win here, the YAML specification the key: neither is silently chosen.
TEST_CASE("a merge key below a key that it has too is refused", "[manifest]") {
  CHECK(read("v: {a: 1, <<: {a: 2, b: 3}}") ==
        "<stdin>:1:11: << has the key \"a\" of line 1, column 5 too, and readers differ in which one counts: "
        "put << before it");
}

TEST_CASE("aliases that multiply are refused", "[manifest]") {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int n = 0; n < 10; ++n)
      laughs += (n == 0 ? "" : ", ") + below;
    laughs += "]\n";
  }
  CHECK(read(laughs).ends_with("the document's aliases stand for more than 100000 values"));
  std::string large = "a: &a " + std::string(100'000, 'x') + "\nb: [*a";
  for (int i = 0; i < 1000; ++i)
    large += ", *a";
  CHECK(read(large + "]").ends_with("the document's aliases stand for more than 100000 values"));
}

TEST_CASE("nesting has a limit, in YAML and in JSON", "[manifest]") {
  CHECK(read(std::string(400, '[') + std::string(400, ']')).starts_with("[["));
  CHECK(read(std::string(10'000, '[')) == "<stdin>:1:501: nested deeper than 500 levels");
  CHECK(read("{\"a\":" + std::string(100'000, '[')) == "<stdin>:1:505: nested deeper than 500 levels");
  std::string deep;
  for (int i = 0; i < 2000; ++i)
    deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(read(deep).ends_with(":501:501: nested deeper than 500 levels"));
}

TEST_CASE("what is no YAML is refused where it goes wrong", "[manifest]") {
  CHECK(read("a: b: c") == "<stdin>:1:5: mapping values are not allowed in this context");
  CHECK(read("a:\n\tb: 1").starts_with("<stdin>:2:1: found character that cannot start any token"));
  CHECK(read("a: [1,\nb: 2").starts_with("<stdin>:"));
  CHECK(read("spec:\n  a: 1\n  suspend\n  b: 2") ==
        "<stdin>:4:3: could not find expected ':' while scanning a simple key that starts in line 3");
}
