#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>

#include <string>
#include <vector>

#include "manifest/read.h"

using namespace fluxhook::manifest;

namespace {

std::string yaml(const std::string& json) { return to_yaml(*parse_json(json, "test")); }

} // namespace

TEST_CASE("YAML is written as kubectl lays it out", "[manifest]") {
  CHECK(yaml(R"({"a":{"b":[{"c":1,"d":["-x","--y=z"]},[],{},[["q"]]],"e":{}},"f":null,"g":true})") ==
        "a:\n  b:\n  - c: 1\n    d:\n    - -x\n    - --y=z\n  - []\n  - {}\n  - - - q\n  e: {}\nf: null\ng: "
        "true\n");
  CHECK(yaml(R"(["a",{"b":1}])") == "- a\n- b: 1\n");
  CHECK(yaml("{}") == "{}\n");
  CHECK(yaml(R"("text")") == "text\n");
}

TEST_CASE("what a YAML 1.1 or 1.2 reader would not take for a string is quoted", "[manifest]") {
  for (const char* text : {"yes",   "No",     "on",       "OFF",        "y",
                           "N",     "true",   "False",    "null",       "~",
                           "",      "1",      "-1",       "+1",         "0x1f",
                           "0o17",  "017",    "1e3",      "1.5",        ".5",
                           "1_000", "1:30",   "12:30:45", "2001-01-01", "2001-12-14 21:59:43.10 -5",
                           ".inf",  ".NaN",   "=",        "<<",         "0b11",
                           "-.inf", "1.2.3.4"}) {
    CAPTURE(text);
    CHECK(yaml(std::string(R"({"v":")") + text + R"("})") == std::string("v: \"") + text + "\"\n");
  }
}

TEST_CASE("what YAML's syntax would read otherwise is quoted", "[manifest]") {
  for (const char* text :
       {"- a", "-",  "? a", "a: b", "a:", "a #b", "#a", "*a", "&a", "!a",  "|",     ">",  "%a",
        "@a",  "`a", "[a",  "{a",   "]",  "}",    ",a", " a", "a ", "---", "--- a", "..."}) {
    CAPTURE(text);
    CHECK(yaml(std::string(R"({"v":")") + text + R"("})") == std::string("v: \"") + text + "\"\n");
  }
  for (const char* text :
       {"-a", "--flag=1", "a:b", "a#b", "http://x:1", "500m", "4Gi", "5s", "a, b", "it's", "10.0.0.0/8"}) {
    CAPTURE(text);
    CHECK(yaml(std::string(R"({"v":")") + text + R"("})") == std::string("v: ") + text + "\n");
  }
  CHECK(yaml(R"({"v":"{\"a\": 'b'}"})") == "v: '{\"a\": ''b''}'\n");
  CHECK(yaml(R"({"v":"a\tb\u0001\u0085\u2028\ufeff\u007f\r"})") ==
        "v: \"a\\tb\\x01\\x85\\u2028\\ufeff\\x7f\\r\"\n");
}

TEST_CASE("text of several lines is a literal block", "[manifest]") {
  CHECK(yaml(R"({"v":"a\n  b\n\nc\n"})") == "v: |\n  a\n    b\n\n  c\n");
  CHECK(yaml(R"({"v":"a\nb"})") == "v: |-\n  a\n  b\n");
  CHECK(yaml(R"({"v":"a\n\n\n","w":1})") == "v: |+\n  a\n\n\nw: 1\n");
  CHECK(yaml(R"({"v":"  a\nb\n"})") == "v: |2\n    a\n  b\n");
  CHECK(yaml(R"(["\na"])") == "- |2-\n\n  a\n");
  CHECK(yaml(R"({"v":"\n\n"})") == "v: \"\\n\\n\"\n");
  CHECK(yaml(R"({"v":"a\r\nb"})") == "v: \"a\\r\\nb\"\n");
}

TEST_CASE("numbers are written so that YAML 1.1 reads them as numbers", "[manifest]") {
  CHECK(yaml(R"({"a":1e30,"b":1.5e-9,"c":9007199254740993})") ==
        "a: 1.0e+30\nb: 1.5e-09\nc: 9007199254740993\n");
  CHECK(yaml(R"({"a":-0.0})") == "a: -0.0\n");
}

TEST_CASE("what is written is read back the same", "[manifest]") {
  const std::vector<std::string> pieces{"a",  " ", "\n", "\t", ":", "#", "-",        "'", "\"",
                                        "\\", "{", "|",  "y",  "1", ".", "\xC3\xA4", "%", "\xE2\x80\xA8"};
  // All texts of up to three pieces, as a value, a key and an item.
  std::vector<std::string> texts{""};
  for (std::size_t from = 0, round = 0; round < 3; ++round) {
    const std::size_t end = texts.size();
    for (std::size_t i = from; i < end; ++i) {
      for (const auto& piece : pieces)
        texts.push_back(texts[i] + piece);
    }
    from = end;
  }
  Node root{.kind = Node::Kind::kObject};
  for (const auto& text : texts) {
    const Node value{.kind = Node::Kind::kString, .text = text};
    Node list{.kind = Node::Kind::kList, .items = {value, value}};
    root.members.push_back({.key = text, .at = {}, .value = std::move(list)});
    root.members.push_back({.key = "v" + text + "v", .at = {}, .value = value});
  }
  CHECK(read(to_yaml(root)) == to_json(root));
  CHECK(read(to_json(root, true)) == to_json(root));
}

TEST_CASE("a key of any length is read back", "[manifest]") {
  const Node value{.kind = Node::Kind::kObject, .members = {{.key = "b", .at = {}, .value = {}}}};
  const Node root{.kind = Node::Kind::kObject,
                  .members = {{.key = std::string(5000, 'k'), .at = {}, .value = value}}};
  CHECK(read(to_yaml(root)) == to_json(root));
}
