#include <catch2/catch_test_macros.hpp>

#include <string>

#include "fluxhook/manifest/edit.h"
#include "fluxhook/manifest/patch.h"
#include "manifest/read.h"

using namespace fluxhook::manifest;

namespace {

/// The text after a JSON Patch; "none" when it can't be edited.
std::string edited(const std::string& text, const std::string& patch) {
  const auto all = read_all(text);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0]);
  Node after = all[0]->root;
  REQUIRE(apply_patch(after, *parse_json(patch, "patch")));
  return edit(*all[0], after).value_or("none");
}

std::string add(const std::string& path, const std::string& value) {
  return R"([{"op":"add","path":")" + path + R"(","value":)" + value + "}]";
}

} // namespace

TEST_CASE("a member is added below the last one, with the comments that follow that", "[manifest]") {
  CHECK(edited("a:\n  b: 1   # one\n  # more of a\n# of d\nd: 2\n", add("/a/c", "true")) ==
        "a:\n  b: 1   # one\n  # more of a\n  c: true\n# of d\nd: 2\n");
  CHECK(edited("a:\n    b: 1\n\nd: 2\n", add("/a/c", R"({"x":{"w":["z"]}})")) ==
        "a:\n    b: 1\n    c:\n        x:\n            w:\n            - z\n\nd: 2\n");
  CHECK(edited("a: {b: 1,} # one\n", add("/a/c", R"([{"x":"1"}])")) == "a: {b: 1, c: [{x: \"1\"}],} # one\n");
  CHECK(edited("a: {\n  b: 1  # one\n}\n", add("/a/c", "2")) == "a: {\n  b: 1, c: 2  # one\n}\n");
  CHECK(edited("--- # first\n{\"a\": {\"b\": \"1\"}}\n", add("/a/c", R"({"x":["y"]})")) ==
        "--- # first\n{\"a\": {\"b\": \"1\", \"c\": {\"x\": [\"y\"]}}}\n");
  CHECK(edited("a:\n  b: |\n    text\n\n\nd: 1\n", add("/a/c", "2")) ==
        "a:\n  b: |\n    text\n  c: 2\n\n\nd: 1\n");
  CHECK(edited("a:\n  b: |+\n    text\n\nd: 1\n", add("/a/c", "2")) ==
        "a:\n  b: |+\n    text\n\n  c: 2\nd: 1\n");
}

TEST_CASE("what is empty is filled below its key", "[manifest]") {
  CHECK(edited("a: {}  # none yet\nd: 2\n", add("/a/c", "1")) == "a:  # none yet\n  c: 1\nd: 2\n");
  CHECK(edited("a: []\nd: 2\n", add("/a/-", "1")) == "a:\n- 1\nd: 2\n");
  CHECK(edited("a:   # none\nd: 2\n", add("/a", R"({"b":1})")) == "a:   # none\n  b: 1\nd: 2\n");
  CHECK(edited("a: ~\nd: 2\n", add("/a", R"({"b":1})")) == "a:\n  b: 1\nd: 2\n");
  CHECK(edited("x: {a: {}, b: []}\n",
               R"([{"op":"add","path":"/x/a/c","value":1},)"
               R"({"op":"add","path":"/x/b/-","value":"d,e"}])") == "x: {a: {c: 1}, b: [\"d,e\"]}\n");
}

TEST_CASE("items are added where they belong", "[manifest]") {
  const std::string list = "a:\n- name: one  # 1\n  x: y\n# two\n- name: two\n# end\nb: 1\n";
  CHECK(edited(list, add("/a/-", R"({"name":"three","x":"z"})")) ==
        "a:\n- name: one  # 1\n  x: y\n# two\n- name: two\n- name: three\n  x: z\n# end\nb: 1\n");
  CHECK(edited(list, add("/a/0", R"({"name":"zero"})")) ==
        "a:\n- name: zero\n- name: one  # 1\n  x: y\n# two\n- name: two\n# end\nb: 1\n");
  CHECK(edited(list, add("/a/1", R"({"name":"x"})")) ==
        "a:\n- name: one  # 1\n  x: y\n- name: x\n# two\n- name: two\n# end\nb: 1\n");
  CHECK(edited("a:\n  - - b\n  -   - c\n", add("/a/1/0", "[1]")) == "a:\n  - - b\n  -   - - 1\n      - c\n");
  CHECK(edited("a: [b, c]", add("/a/0", "1")) == "a: [1, b, c]");
  CHECK(edited("a: [b, c]", add("/a/2", "1")) == "a: [b, c, 1]");
}

TEST_CASE("a value is replaced where it stands", "[manifest]") {
  const auto words = [](const std::string& text, const std::string& value) {
    return edited(text, R"([{"op":"replace","path":"/a","value":)" + value + "}]");
  };
  CHECK(words("a: [x]  # why\nb: 1\n", R"(["/bin/sh","y, z"])") == "a: [/bin/sh, \"y, z\"]  # why\nb: 1\n");
  CHECK(words("a: [\"x\"]\n", R"(["y","z"])") == "a: [\"y\", \"z\"]\n");
  CHECK(words("a:\n  - x  # why\n  - y\n  - z  # last\nb: 1\n", R"(["1","2"])") ==
        "a:\n  - \"1\"\n  - \"2\"\nb: 1\n");
  CHECK(words("a:\n- |\n  x\n  y\nb: 1\n", R"(["v","w"])") == "a:\n- v\n- w\nb: 1\n");
  CHECK(words("a: 'x' # why\n", "true") == "a: true # why\n");
  CHECK(words("a:\nb: 1\n", "\"t\"") == "a: t\nb: 1\n");
  CHECK(words("a: |\n  x\nb: 1\n", "\"y\\nz\\n\"") == "a: |\n  y\n  z\nb: 1\n");
}

TEST_CASE("comments beside the words of a list that is replaced go with them", "[manifest]") {
  const auto words = [](const std::string& text, const std::string& value) {
    return edited(text, R"([{"op":"replace","path":"/a","value":)" + value + "}]");
  };
  CHECK(words("a:  # all\n- x  # w1\n- y  # w2\n# of b\nb: 1\n", R"(["v","w"])") ==
        "a:  # all\n- v\n- w\n# of b\nb: 1\n");
  CHECK(words("a: [x,  # w1\n  y]  # all\nb: 1\n", R"(["v","w"])") == "a: [v, w]  # all\nb: 1\n");
  CHECK(words("a:\r\n- x  # w1\r\nb: 1\r\n", R"(["v"])") == "a:\r\n- v\r\nb: 1\r\n");
  CHECK(words("a:\n- x  # w1\n", R"(["v"])") == "a:\n- v\n");
  CHECK(words("a:\n- x#y\n- \"z\"\nb: 1\n", R"(["v","w"])") == "a:\n- v\n- w\nb: 1\n");
  // What was there before and still is keeps its own.
  CHECK(words("a:\n- x  # w1\nb: 1\n", R"(["v","x"])") == "a:\n- v\n- x  # w1\nb: 1\n");
  CHECK(edited("a:\n- name: x  # 1\n  v: y  # 2\n", R"([{"op":"replace","path":"/a/0/v","value":"z"}])") ==
        "a:\n- name: x  # 1\n  v: z  # 2\n");
  // A word that an alias stands for has to stay where it is.
  CHECK(words("a: [&x b]\nc: *x\n", R"(["d"])") == "a: [&x d]\nc: b\n");
}

TEST_CASE("line ends stay what they are, and no line end at the end", "[manifest]") {
  CHECK(edited("a:\r\n  b: 1\r\nd: 2\r\n", add("/a/c", R"(["x"])")) ==
        "a:\r\n  b: 1\r\n  c:\r\n  - x\r\nd: 2\r\n");
  CHECK(edited("a:\n  b: 1\nd: 2", add("/a/c", "3")) == "a:\n  b: 1\n  c: 3\nd: 2");
  CHECK(edited("a:\n  b: 1", add("/a/c", "3")) == "a:\n  b: 1\n  c: 3\n");
  CHECK(edited("a:\n  b: |\n    x", add("/a/c", "3")) == "a:\n  b: |-\n    x\n  c: 3\n");
}

TEST_CASE("an alias is written out when its value is no longer the anchor's", "[manifest]") {
  const std::string both = "a: &x\n  b: [1]\nc: *x  # the same\n";
  CHECK(edited(both, add("/a/d", "2")) == "a: &x\n  b: [1]\n  d: 2\nc:  # the same\n  b:\n  - 1\n");
  CHECK(edited(both, add("/c/d", "2")) == "a: &x\n  b: [1]\nc:  # the same\n  b:\n  - 1\n  d: 2\n");
  CHECK(edited(both, R"([{"op":"add","path":"/a/d","value":2},{"op":"add","path":"/c/d","value":2}])") ==
        "a: &x\n  b: [1]\n  d: 2\nc: *x  # the same\n");
  CHECK(edited("a: &x [1]\nc: [*x, 2]\n", add("/c/0/1", "3")) == "a: &x [1]\nc: [[1, 3], 2]\n");
  CHECK(edited("é: &x ä # ö\nc: {d: *x}\n", R"([{"op":"replace","path":"/c/d","value":"ü"}])") ==
        "é: &x ä # ö\nc: {d: ü}\n");
}

TEST_CASE("a merge key gives what it gave", "[manifest]") {
  const std::string merge = "a: &x\n  b: {c: 1}\nd:\n  <<: *x  # shared\n  e: 2\n";
  CHECK(edited(merge, add("/d/f", "3")) == "a: &x\n  b: {c: 1}\nd:\n  <<: *x  # shared\n  e: 2\n  f: 3\n");
  CHECK(edited(merge, add("/d/b/f", "3")) ==
        "a: &x\n  b: {c: 1}\nd:\n  <<: *x  # shared\n  e: 2\n  b:\n    c: 1\n    f: 3\n");
  CHECK(edited(merge, add("/a/f", "3")) ==
        "a: &x\n  b: {c: 1}\n  f: 3\nd:\n  b:\n    c: 1  # shared\n  e: 2\n");
  CHECK(edited(merge, add("/a/b/f", "3")) ==
        "a: &x\n  b: {c: 1, f: 3}\nd:\n  <<: *x  # shared\n  e: 2\n  b:\n    c: 1\n");
}

TEST_CASE("JSON stays laid out as it is", "[manifest]") {
  const std::string two = "{\n  \"a\": [\n    1.0\n  ],\n  \"b\": {}\n}";
  const auto laid_out = [&](const std::string& text) { return edited(text, add("/a/-", "1e2")); };
  CHECK(laid_out(two) == "{\n  \"a\": [\n    1.0,\n    1e2\n  ],\n  \"b\": {}\n}");
  CHECK(laid_out("{\n    \"a\": [\n        1.0\n    ]\n}\n\n") ==
        "{\n    \"a\": [\n        1.0,\n        1e2\n    ]\n}\n\n");
  CHECK(laid_out("{\r\n\t\"a\" : [\r\n\t\t1.0\r\n\t]\r\n}") ==
        "{\r\n\t\"a\" : [\r\n\t\t1.0,\r\n\t\t1e2\r\n\t]\r\n}");
  CHECK(laid_out("{\n\"a\":[\n1\n]\n}") == "{\n\"a\":[\n1,\n1e2\n]\n}");
  CHECK(laid_out("{\"a\":[1.50,2E5]}") == "{\"a\":[1.50,2E5,1e2]}");
  CHECK(laid_out("{\"a\": [1, 2], \"b\": \"c\"}\n") == "{\"a\": [1, 2, 1e2], \"b\": \"c\"}\n");
  CHECK(laid_out("{\n  \"a\": [1]\n}") == "none");
  CHECK(laid_out("{\"a\": [1],\"b\":2}") == "none");
}

TEST_CASE("what can't be edited is refused", "[manifest]") {
  const auto all = read_all("a: 1\nb: 2\n");
  Node after = all[0]->root;
  after.members.pop_back();
  CHECK_FALSE(edit(*all[0], after));
  CHECK(edited("a: &x [&y b]\nc: *y\n", R"([{"op":"replace","path":"/a","value":["d","e"]}])") == "none");
}

// RFC 6902, appendix A; those of `add` and `replace`
TEST_CASE("a patch adds and replaces as RFC 6902 has it", "[manifest]") {
  const auto patched = [](const std::string& text, const std::string& patch) {
    Node root = *parse_json(text, "text");
    const auto done = apply_patch(root, *parse_json(patch, "patch"));
    return done ? to_json(root) : done.error().text();
  };
  CHECK(patched(R"({"foo":"bar"})", add("/baz", "\"qux\"")) == R"({"foo":"bar","baz":"qux"})");
  CHECK(patched(R"({"foo":["bar","baz"]})", add("/foo/1", "\"qux\"")) == R"({"foo":["bar","qux","baz"]})");
  CHECK(patched(R"({"foo":["bar"]})", add("/foo/-", R"(["abc","def"])")) ==
        R"({"foo":["bar",["abc","def"]]})");
  CHECK(patched(R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])") ==
        R"({"baz":"boo","foo":"bar"})");
  CHECK(patched(R"({"foo":"bar"})", add("/foo", "1")) == R"({"foo":1})");
  CHECK(patched(R"({"a/b":{"m~n":1}})", add("/a~1b/m~0n", "2")) == R"({"a/b":{"m~n":2}})");
  CHECK(patched(R"({"foo":"bar"})", add("/baz/bat", "1")) == "/baz/bat: the patch can't be applied here");
  CHECK(patched(R"({"foo":[1]})", add("/foo/2", "1")).ends_with("can't be applied here"));
  CHECK(patched(R"({"foo":[1]})", add("/foo/01x", "1")).ends_with("can't be applied here"));
  CHECK(patched(R"({"n":123456789012345678901234567890})", add("/a", "1.50")) ==
        R"({"n":123456789012345678901234567890,"a":1.50})");
}
