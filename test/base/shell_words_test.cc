#include "fluxhook/base/shell_words.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace fluxhook;
using Words = std::vector<std::string>;

TEST_CASE("words are split as a POSIX shell splits them", "[base]") {
  struct Row {
    std::string_view text;
    Words words;
  };
  const Row rows[] = {
      {"", {}},
      {"  \t\n ", {}},
      {"-N2 -n 4", {"-N2", "-n", "4"}},
      {"-o 'a b' c", {"-o", "a b", "c"}},
      {R"(--env="X=a b")", {"--env=X=a b"}},
      {"'' \"\"", {"", ""}},
      {"a''b", {"ab"}},
      {R"(a\ b)", {"a b"}},
      {R"(\'\"\\)", {R"('"\)"}},
      {R"('a\b')", {R"(a\b)"}},
      {R"("\a\$\`\"\\")", {R"(\a$`"\)"}},
      {R"($HOME `id` $(id) * ? [a])", {"$HOME", "`id`", "$(id)", "*", "?", "[a]"}},
      {"# ; & | < >", {"#", ";", "&", "|", "<", ">"}},
      {"a\\\nb \"c\\\nd\"", {"ab", "cd"}},
      {"\\\n", {}},
      {"'a\nb'", {"a\nb"}},
      {"\xc3\xa9 \xff", {"\xc3\xa9", "\xff"}},
  };
  for (const auto& [text, words] : rows) {
    CAPTURE(text);
    const auto split = split_shell_words(text);
    REQUIRE(split);
    CHECK(*split == words);
  }
}

TEST_CASE("an open quote and a trailing backslash are errors that name the byte", "[base]") {
  CHECK(split_shell_words("a 'b").error().text() == "byte 2: the quote ' is never closed");
  CHECK(split_shell_words("a b\"c'").error().text() == "byte 3: the quote \" is never closed");
  CHECK(split_shell_words(R"("a\")").error().text() == "byte 0: the quote \" is never closed");
  CHECK(split_shell_words("\"a\\").error().text() == "byte 0: the quote \" is never closed");
  CHECK(split_shell_words(R"(a\)").error().text() == R"(byte 1: a backslash with nothing after it)");
}

// What the quotes mean to shells is tested in test/oracles, by flux::quote_shell.
TEST_CASE("a word is quoted where a shell would not take it as it is, and reads back as itself", "[base]") {
  CHECK(shell_word("-N2") == "-N2");
  CHECK(shell_word("/a/b_c.d:e,f+g@h%i=j") == "/a/b_c.d:e,f+g@h%i=j");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("a b") == "'a b'");
  CHECK(shell_word("it's") == R"('it'\''s')");
  for (const std::string_view word : {"", "a b", "it's", "$HOME", "`id`", "*", "\n", "\\", "\"", "~", "ä"}) {
    CAPTURE(word);
    const auto read = split_shell_words(shell_word(word));
    REQUIRE(read);
    CHECK(*read == Words{std::string(word)});
  }
}
