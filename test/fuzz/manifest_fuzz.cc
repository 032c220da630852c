// Manifests, YAML and JSON: what is read is written and read again as the same; what is changed changes
// nowhere else. Input: a file's text.
#include <sstream>

#include "fluxhook/base/text.h"
#include "fluxhook/manifest/comments.h"
#include "fluxhook/manifest/edit.h"
#include "fluxhook/manifest/reader.h"
#include "fluxhook/manifest/writer.h"
#include "fuzz.h"

namespace fluxhook::fuzz {
namespace {

using manifest::Document;
using manifest::Node;

struct Read {
  std::vector<Document> documents;
  bool whole = true; ///< nothing was unreadable
  std::string rest;
};

Read read_all(const std::string& text) {
  std::istringstream in(text);
  manifest::Reader reader = *manifest::Reader::open("-", in);
  Read read;
  while (auto document = reader.next()) {
    if (*document) {
      read.documents.push_back(std::move(**document));
      continue;
    }
    read.whole = false;
    const Error& error = document->error();
    require(!error.what.empty() && error.where.starts_with("<stdin>"), "a fault has a place and says what",
            error.text());
    require(printable(error.text()) == error.text(), "a fault is one printable line", error.text());
  }
  read.rest = reader.rest();
  return read;
}

/// The text as the reader keeps it: a CR that is no part of a CR LF is a LF.
std::string with_line_ends(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) text[i] = '\n';
  return text;
}

void check_written(const Node& root) {
  const std::string json = manifest::to_json(root);
  const auto as_json = manifest::parse_json(json, "x");
  require(as_json && equal(*as_json, root), "JSON that is written reads as the same", json);
  const auto indented = manifest::parse_json(manifest::to_json(root, true), "x");
  require(indented && equal(*indented, root), "indented JSON that is written reads as the same", json);
  const std::string yaml = manifest::to_yaml(root);
  const Read again = read_all(yaml);
  require(again.whole, "YAML that is written can be read", yaml);
  // null between texts of JSON is a document, and in YAML none.
  if (root.kind == Node::Kind::kNull) return require(again.documents.empty(), "null is no document", yaml);
  require(again.documents.size() == 1, "a document that is written is one", yaml);
  require(equal(again.documents.front().root, root), "YAML that is written reads as the same",
          [&] { return yaml + "\n" + json + "\n" + manifest::to_json(again.documents.front().root); });
}

void check_edited(const Document& document) {
  const auto same = manifest::edit(document, document.root);
  require(!same || *same == document.text, "an edit that changes nothing leaves the text", document.text);
  Node after = document.root;
  if (after.kind != Node::Kind::kObject || after.find("zz") != nullptr) return;
  after.members.push_back({.key = "zz", .at = {}, .value = {.kind = Node::Kind::kString, .text = "1"}});
  const auto edited = manifest::edit(document, after);
  if (!edited) return;
  const Read again = read_all(*edited);
  require(again.whole && again.documents.size() == 1, "what was edited can be read", *edited);
  require(equal(again.documents.front().root, after), "what was edited reads as it should", *edited);
  // A comment between the brackets of an empty object goes with them, which mutate tells.
  if (!document.json && !document.root.members.empty())
    require(manifest::count_comments(*edited) == manifest::count_comments(document.text), "comments stay",
            *edited);
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook::fuzz;
  const std::string text = text_of(data, size);
  const Read read = read_all(text);
  (void)fluxhook::manifest::find_comments(text, 1);
  std::string all;
  for (const Document& document : read.documents) {
    all += document.lead + document.text;
    check_written(document.root);
    check_edited(document);
  }
  if (read.whole)
    require(all + read.rest == with_line_ends(text), "all documents are the file again", all + read.rest);
  return 0;
}
