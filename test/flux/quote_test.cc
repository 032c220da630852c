#include "fluxhook/flux/quote.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

using namespace fluxhook::flux;
using namespace std::string_view_literals;

// What the words mean to dash, busybox, Python's tomllib and czmq is tested in test/oracles.

TEST_CASE("a shell word stands in single quotes, whatever it holds", "[flux]") {
  CHECK(quote_shell("") == "''");
  CHECK(quote_shell("-N4") == "'-N4'");
  CHECK(quote_shell("it's") == "'it'\\''s'");
  CHECK(quote_shell("'") == "''\\'''");
  CHECK(quote_shell("$(id) `id` \"\\\n*") == "'$(id) `id` \"\\\n*'");
  CHECK(quote_shell("\xff") == "'\xff'");
}

TEST_CASE("a NUL can stand neither in a shell word nor in TOML", "[flux]") {
  CHECK(quote_shell("a\0b"sv).error().what == R"("a\x00b" holds a NUL, which no shell word can)");
  CHECK(quote_toml("a\0b"sv).error().what == R"("a\x00b" must be UTF-8 without NUL to stand in a TOML file)");
}

TEST_CASE("a TOML string is UTF-8 and escapes what TOML 1.0 wants escaped", "[flux]") {
  CHECK(quote_toml("") == R"("")");
  CHECK(quote_toml("tcp://eth0:%p") == R"("tcp://eth0:%p")");
  CHECK(quote_toml("a\"b\\c") == R"("a\"b\\c")");
  CHECK(quote_toml("\b\t\n\f\r\x1f\x7f") == R"("\u0008\t\n\u000c\r\u001f\u007f")");
  CHECK(quote_toml("\u00e9\U0001f600") == "\"\u00e9\U0001f600\"");
  CHECK_FALSE(quote_toml("\xff"));
  CHECK_FALSE(quote_toml("\xed\xa0\x80"));
}

TEST_CASE("a certificate's value has only the characters that Flux reads", "[flux]") {
  CHECK(quote_zpl("lammps-1") == R"("lammps-1")");
  CHECK(quote_zpl("gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V") ==
        R"("gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V")");
  CHECK(quote_zpl("a b\t.-:+=^!/*?&<>()[]{}@%$#") == "\"a b\t.-:+=^!/*?&<>()[]{}@%$#\"");
  for (std::string_view bad : {"a\"b"sv, "a'b"sv, "a_b"sv, "a\nb"sv, "a\\b"sv, "a\0b"sv, "\xc3\xa9"sv, "`"sv,
                               ","sv, ";"sv, "|"sv, "~"sv, "\x7f"sv, "\r"sv}) {
    CAPTURE(bad);
    CHECK_FALSE(quote_zpl(bad));
  }
}

TEST_CASE("a host of a hostlist is a DNS label", "[flux]") {
  CHECK(quote_hostlist("js-node-0-0") == "js-node-0-0");
  for (std::string_view bad :
       {"a[0-1]"sv, "a,b"sv, "a b"sv, "a\tb"sv, "a]"sv, ""sv, "A"sv, "a.b"sv, "a\n"sv, "-a"sv, "a\0"sv}) {
    CAPTURE(bad);
    CHECK_FALSE(quote_hostlist(bad));
  }
  CHECK(quote_hostlist("a[").error().what.starts_with(
      "\"a[\" can't be a broker's host name: a lowercase RFC 1123 label"));
}
