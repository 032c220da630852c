#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fluxhook/manifest/comments.h"
#include "manifest/read.h"

using namespace fluxhook::manifest;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away with it.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("fluxhook-manifest-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

std::vector<std::string> read_each(const std::string& text) {
  std::vector<std::string> all;
  for (const auto& document : read_all(text))
    all.push_back(document ? to_json(document->root) : document.error().text());
  return all;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("a stream is a document between each two marks; empty ones are none", "[manifest]") {
  CHECK(read_each("a: 1\n---\nb: 2\n").size() == 2);
  CHECK(read_each("---\n---\n# nothing\n---\na: 1\n---\n") == Texts{R"({"a":1})"});
  CHECK(read_each("--- {a: 1}\n--- |\n  text\n") == Texts{R"({"a":1})", R"("text\n")"});
  CHECK(read_each("%YAML 1.1\n---\na: 1\n") == Texts{R"({"a":1})"});
  CHECK(read_each("a: 1\n...\n---\nb: 2\n") == Texts{R"({"a":1})", R"({"b":2})"});
  CHECK(read_each("").empty());
  CHECK(read_each("# only a comment\n").empty());
}

TEST_CASE("texts, what stands between them and the rest are the file again", "[manifest]") {
  for (const std::string text :
       {"# license\n---\na: 1\n--- # c\nb: 2\n---\n# end\n", "\xEF\xBB\xBF# x\r\n---\r\na: 1\r\n---\r\n",
        "\xEF\xBB\xBF"
        "a: 1",
        "{\"a\": 1}\n\n{\"b\":  2}\n---\nc: 3\n", "---\n---\nnull\n---\na: |+\n  x\n\n"}) {
    std::istringstream in(text);
    Reader reader = *Reader::open("-", in);
    std::string all;
    while (auto document = reader.next()) {
      REQUIRE(*document);
      all += (*document)->lead + (*document)->text;
    }
    CHECK(all + reader.rest() == text);
  }
}

TEST_CASE("a second document without a mark is refused, and not passed over", "[manifest]") {
  CHECK(read_each("a: 1\n...\nb: 2\n") == Texts{"<stdin>:3:1: did not find expected <document start>"});
  CHECK(read_each("a: 1\r---\rb: 2\r").at(0).contains("another document begins here"));
}

TEST_CASE("a document keeps its text", "[manifest]") {
  const auto all = read_all("# first\na: 1 # one\n---\n# Source: x.yaml\nb: 2\n--- {c: 3}\n---\n{\"d\": 4}");
  REQUIRE(all.size() == 4);
  CHECK(all[0]->text == "# first\na: 1 # one\n");
  CHECK(all[1]->text == "---\n# Source: x.yaml\nb: 2\n");
  CHECK(all[2]->text == "--- {c: 3}\n");
  CHECK(all[3]->text.empty() == false); // behind a mark it is YAML as well
}

TEST_CASE("dashes inside a value are no mark", "[manifest]") {
  CHECK(read("key: |\n  -----BEGIN KEY-----\n  ---\n  x\n") == R"({"key":"-----BEGIN KEY-----\n---\nx\n"})");
  CHECK(read("a: --- b") == R"({"a":"--- b"})");
  CHECK(read("---a: 1") == R"({"---a":1})");
}

TEST_CASE("reading goes on behind a document that can't be read", "[manifest]") {
  const Texts all = read_each("a: 1\n---\nb: [\n---\nc: 3\n");
  REQUIRE(all.size() == 3);
  CHECK(all[1].starts_with("<stdin>:"));
  CHECK(all[2] == R"({"c":3})");
}

TEST_CASE("JSON texts follow one another, with or without marks", "[manifest]") {
  CHECK(read_each("{\"a\": 1}\n{\"b\": [true, null, \"\\ud83d\\ude00\"]}{}") ==
        Texts{R"({"a":1})", "{\"b\":[true,null,\"\xF0\x9F\x98\x80\"]}", "{}"});
  CHECK(read_each("{\"a\": 1}\n---\n{\"b\": 2}").size() == 2);
  CHECK(read("{\t\"a\":\t1.50\n}") == R"({"a":1.50})");
  CHECK(read("{a: 1, b: [c]}") == R"({"a":1,"b":["c"]})"); // YAML in flow style
  CHECK(read("{\"a\": 1,}") == R"({"a":1})");              // likewise
  CHECK(read("{\"a\": 1 \"b\": 2}").starts_with("<stdin>:1:11: syntax error while parsing object"));
  CHECK(read("{}0777") == "2 documents");
  CHECK(read_all("{}0777").at(1).error().text() == "<stdin>:1:3: syntax error: no JSON number: \"0777\"");
  CHECK(read("[{\xa5").contains(R"(last read: '[{\xa5')")); // no byte of the file reaches a terminal
  CHECK(read("{\"a\": 1e999}").contains("number overflow") == false); // as YAML it is text
}

TEST_CASE("every value knows its line and column", "[manifest]") {
  const auto at = [](const std::string& text, const char* field) {
    const auto all = read_all(text);
    REQUIRE(all.back());
    const Position position = locate(all.back()->root, field);
    return std::to_string(position.line) + ":" + std::to_string(position.column);
  };
  const std::string yaml =
      "# comment\n---\nmetadata:\n  annotations:\n    example.org/a.b: x\nspec:\n  list:\n"
      "  - name: a\n  - {name: b, \xC3\xA4: \"c\"}\n";
  CHECK(at(yaml, "metadata.annotations[example.org/a.b]") == "5:22");
  CHECK(at(yaml, "spec.list[0].name") == "8:11");
  CHECK(at(yaml, "spec.list[1].name") == "9:12");
  CHECK(at(yaml, "spec.list[1].\xC3\xA4") == "9:18"); // columns count characters
  CHECK(at(yaml, "spec.list[1].missing.more") == "9:5");
  CHECK(at(yaml, "spec.list[7]") == "8:3");
  CHECK(at(yaml, "") == "3:1");
  const std::string json = "{\n  \"a\": {\"b\": [1, \"\\u00e4\", \"\xC3\xA4\", 22, true, {\"c\": null}]}\n}";
  CHECK(at(json, "a") == "2:8");
  CHECK(at(json, "a.b") == "2:14");
  CHECK(at(json, "a.b[0]") == "2:15");
  CHECK(at(json, "a.b[1]") == "2:18");
  CHECK(at(json, "a.b[2]") == "2:28");
  CHECK(at(json, "a.b[3]") == "2:33");
  CHECK(at(json, "a.b[4]") == "2:37");
  CHECK(at(json, "a.b[5].c") == "2:49");
  CHECK(at("a: &x\n  b: 1\nc: *x\n", "c.b") == "2:6"); // where the anchor has it
}

TEST_CASE("the objects of a list are its items", "[manifest]") {
  const auto count = [](const std::string& text) {
    auto all = read_all(text);
    return objects(all.front()->root).size();
  };
  CHECK(count("kind: List\nitems: [{kind: A}, {kind: List, items: [{kind: B}, {kind: C}]}]") == 3);
  CHECK(count("kind: JobSetList\nitems: []") == 0);
  CHECK(count("kind: JobSet\nitems: [{kind: A}]") == 1);
  CHECK(count("kind: List") == 1);
}

TEST_CASE("a folder stands for its manifests, sorted, without hidden ones", "[manifest]") {
  const Folder folder;
  for (const char* name :
       {"b.yaml", "a.yml", "sub/c.json", ".hidden.yaml", ".git/d.yaml", "sub/.e/f.yaml", "readme.md"}) {
    folder.write(name, "a: 1\n");
  }
  const auto found = find_files(folder.path.string());
  CHECK(found.faults.empty());
  const std::string base = folder.path.string() + "/";
  CHECK(found.files == Texts{base + "a.yml", base + "b.yaml", base + "sub/c.json"});
  CHECK(find_files(base + "readme.md").files == Texts{base + "readme.md"}); // named: taken as it is
  const auto none = find_files(base + "none.yaml");
  CHECK(none.files.empty());
  REQUIRE(none.faults.size() == 1);
  CHECK(none.faults.front().text() == base + "none.yaml: no such file or folder");
  CHECK(find_files("-").files == Texts{"-"});
}

TEST_CASE("lines longer than the reader's buffer are read whole", "[manifest]") {
  for (const std::size_t size : {16380U, 16381U, 16382U, 16383U, 16384U, 16385U, 40000U}) {
    const std::string value(size, 'x');
    for (const char* const end : {"\n", "", "\n---\nb: 1\n", "\r\n"}) {
      const auto all = read_all("a: " + value + end);
      REQUIRE(all.size() == (std::string_view(end).size() > 2 ? 2 : 1));
      REQUIRE(all.front());
      CHECK(all.front()->root.get("a") == value);
    }
  }
}

TEST_CASE("a stream may have 64 MiB, in one line or in many", "[manifest]") {
  const std::string comment = "#" + std::string(62, ' ') + "\n";
  std::string most = "a: 1\n#" + std::string(57, ' ') + "\n"; // 64 bytes
  while (most.size() < kMaxFile)
    most += comment;
  REQUIRE(most.size() == kMaxFile);
  CHECK(read(most) == R"({"a":1})");
  CHECK(read(most + "\n") == "<stdin>: is larger than 64 MiB");
  CHECK(read(std::string(kMaxFile + 1, '#')) == "<stdin>: is larger than 64 MiB");
}

TEST_CASE("comments are counted, and what only looks like one is not", "[manifest]") {
  CHECK(count_comments("") == 0);
  CHECK(count_comments("# a\n  # b\na: 1 # c\nb: {c: 1, # d\n  e: 2}\n---\n# e\n") == 5);
  CHECK(count_comments("a: 'x # y'\nb: \"x # y\"\nc: x#y\nd: &a#b 1\ne: *a#b\n") == 0);
  CHECK(count_comments("a: |\n  # text\n  more\n# a\nb: >- # b\n  # text\n  # text\n") == 2);
  CHECK(count_comments("é: ä ö # 漢字\nb: '漢 # 字' # c\n") == 2);
  CHECK(count_comments("a: 1 # one\nb: [ # two\n") == 1); // up to the fault
}

TEST_CASE("a file that can't be opened is an error with its name", "[manifest]") {
  std::istringstream none;
  CHECK(Reader::open("/nonexistent/x.yaml", none).error().text() ==
        "/nonexistent/x.yaml: No such file or directory");
}
