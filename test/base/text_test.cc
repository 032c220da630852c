#include "fluxhook/base/text.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace fluxhook;
using namespace std::string_view_literals;

TEST_CASE("trim takes spaces and tabs from both ends", "[base]") {
  CHECK(trim(" \t a b\t ") == "a b");
  CHECK(trim("a") == "a");
  CHECK(trim(" \t ").empty());
  CHECK(trim("").empty());
  CHECK(trim("\na\n") == "\na\n");
}

TEST_CASE("split trims the parts and keeps the empty ones", "[base]") {
  using Parts = std::vector<std::string_view>;
  CHECK(split("a,b", ',') == Parts{"a", "b"});
  CHECK(split(" a , ,b ", ',') == Parts{"a", "", "b"});
  CHECK(split(",", ',') == Parts{"", ""});
  CHECK(split("", ',') == Parts{""});
}

TEST_CASE("an integer is digits with perhaps a minus, and fits", "[base]") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_integer("007") == 7);
  CHECK(parse_integer("9223372036854775807") == INT64_MAX);
  CHECK(parse_integer("-9223372036854775808") == INT64_MIN);
  for (std::string_view bad :
       {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "--1", "9223372036854775808"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_integer(bad));
  }
}

// test/oracles/quote_shell_test.py asks dash and busybox for the same.
TEST_CASE("a likely misspelling finds the name that was meant", "[base]") {
  constexpr std::string_view kNames[] = {"num-proc-per-node", "queue-policy", "pmi", "topology", "container"};
  CHECK(nearest("num-procs-per-node", kNames) == "num-proc-per-node");
  CHECK(nearest("queue_policy", kNames) == "queue-policy");
  CHECK(nearest("pim", kNames) == "pmi");
  CHECK(nearest("pmi", kNames) == "pmi");
  CHECK(nearest("topolgy", kNames) == "topology");
  CHECK(nearest("Container", kNames) == "container");
  CHECK(nearest("xyz", kNames).empty());
  CHECK(nearest("", kNames).empty());
  CHECK(nearest("something-else-entirely", kNames).empty());
  CHECK(nearest("pmi", {}).empty());
}

TEST_CASE("of two names as near as each other, the first is taken", "[base]") {
  constexpr std::string_view kNames[] = {"cat", "car"};
  CHECK(nearest("cab", kNames) == "cat");
}

// Go's strconv.Quote gave the right sides.
TEST_CASE("a quoted text is printable and on one line, whatever it holds", "[base]") {
  struct Row {
    std::string_view text, shown;
  };
  constexpr Row kRows[] = {
      {"plain", R"("plain")"},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"\a\b\f\n\r\t\v\0\x1b\x7f"sv, R"("\a\b\f\n\r\t\v\x00\x1b\x7f")"},
      {"\xff\xfe", R"("\xff\xfe")"},
      {"\u00e9\u65e5\u672c", "\"\u00e9\u65e5\u672c\""},
      {"\u202e\u200b\ufeff\u00a0\u0085\u00ad", R"("\u202e\u200b\ufeff\u00a0\u0085\u00ad")"},
      {"\U0001f600", "\"\U0001f600\""},
      {"\xed\xa0\x80", R"("\xed\xa0\x80")"},
      {"\xc0\x80", R"("\xc0\x80")"},
      {"\U000e0001", R"("\U000e0001")"},
      {"\xf4\x90\x80\x80", R"("\xf4\x90\x80\x80")"},
      {"\xe2\x82", R"("\xe2\x82")"},
      {"`$('", R"("`$('")"},
      {"\u2028", R"("\u2028")"},
      {"\ufffd", "\"\ufffd\""},
      {"\U0010ffff", R"("\U0010ffff")"},
      {"\ue000", R"("\ue000")"},
  };
  for (const auto& [text, shown] : kRows) {
    CAPTURE(shown);
    CHECK(in_quotes(text) == shown);
  }
}

TEST_CASE("a printable text shows what would not show, and leaves the rest alone", "[base]") {
  CHECK(printable("a \"b\" \\ é 漢") == "a \"b\" \\ é 漢");
  CHECK(printable("\x1b[31m\n\x7f") == "\\x1b[31m\\n\\x7f");
  CHECK(printable("\u009b2J\u202e\xff") == "\\u009b2J\\u202e\\xff");
}

TEST_CASE("plain UTF-8 is well-formed and has no NUL", "[base]") {
  for (std::string_view good :
       {"", "a", "\x7f", "\u00e9", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
    CAPTURE(good);
    CHECK(is_plain_utf8(good));
  }
  // Unicode 16, table 3-7, and the examples beside it.
  for (std::string_view bad :
       {"\0"sv, "a\0b"sv, "\x80"sv, "\xbf"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xc3"sv, "\xc3z"sv,
        "\xe0\x9f\xbf"sv, "\xed\xa0\x80"sv, "\xed\xbf\xbf"sv, "\xe2\x82"sv, "\xf0\x8f\xbf\xbf"sv,
        "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xff"sv, "\xfe"sv, "ok\xf0\x9f\x98"sv}) {
    CAPTURE(in_quotes(bad));
    CHECK_FALSE(is_plain_utf8(bad));
  }
}

TEST_CASE("what is not plain UTF-8 is found wherever in a long text it stands", "[base]") {
  for (std::size_t length : {1U, 7U, 8U, 9U, 63U, 64U, 65U, 200U}) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string text(length, 'a');
      CAPTURE(length, at);
      text[at] = '\x01';
      CHECK(plain_utf8_length(text) == length);
      for (const char bad : {'\0', '\x80', '\xff'}) {
        text[at] = bad;
        CHECK(plain_utf8_length(text) == at);
      }
      text.replace(at, 1, "\u20ac");
      CHECK(plain_utf8_length(text) == text.size());
    }
  }
}

TEST_CASE("texts are joined, whatever they are", "[base]") {
  CHECK(joined(std::vector<std::string>{"a", "", "b"}) == "a, , b");
  CHECK(joined(std::vector<std::string_view>{"", "a"}, ",") == ",a");
  CHECK(joined(std::vector<std::string>{}).empty());
}

TEST_CASE("the case of ASCII letters counts or doesn't, that of others does", "[base]") {
  CHECK(equals_ignoring_case("Content-LENGTH", "content-length"));
  CHECK_FALSE(equals_ignoring_case("a", "ab"));
  CHECK_FALSE(equals_ignoring_case("[", "{")); // as far apart as A and a
  CHECK_FALSE(equals_ignoring_case("Ä", "ä"));
}

TEST_CASE("a text is cut behind a whole character", "[base]") {
  CHECK(cut("abc", 3) == "abc");
  CHECK(cut("abcd", 3) == "abc");
  CHECK(cut("aä", 2) == "a");
  CHECK(cut("ä", 0).empty());
}

TEST_CASE("a long text is shortened to whole characters", "[base]") {
  CHECK(shortened("", 3).empty());
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc…");
  CHECK(shortened("ä", 1) == "…");
  CHECK(shortened("aä", 2) == "a…");
  CHECK(shortened("aäb", 3) == "aä…");
  CHECK(shortened("a\xf0\x9f\x8c\x8d!", 4) == "a…");             // U+1F30D, four bytes
  CHECK(shortened("a\x80\x80\x80\x80\x80z", 5).size() <= 5 + 3); // no UTF-8: an end all the same
}
