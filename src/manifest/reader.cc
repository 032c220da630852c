#include "fluxhook/manifest/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <istream>
#include <iterator>
#include <utility>

#include "manifest/parse.h"
#include "manifest/splitter.h"

namespace fluxhook::manifest {

std::string place(std::string_view file, Position at) {
  std::string text(file == kStandardInput ? "<stdin>" : file);
  if (at.line != 0) text += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return text;
}

namespace {

/// Offset of the first character that is not blank, from `start` on.
std::size_t first_of(std::string_view text, std::size_t start) {
  return text.find_first_not_of(" \t\n", start);
}

/// JSON, or YAML in flow style.
bool is_bracketed(std::string_view text) {
  const std::size_t first = first_of(text, 0);
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

/// Behind its first bracket, JSON goes on with a quote or another bracket.
bool looks_like_json(std::string_view text) {
  const std::size_t second = first_of(text, first_of(text, 0) + 1);
  return second != text.npos && std::string_view("\"{}[]").contains(text[second]);
}

/// Whether a text that can't be read has Helm's {{ … }} in it.
bool is_template(std::string_view text) {
  const std::size_t open = text.find("{{");
  return open != text.npos && text.find("}}", open) != text.npos;
}

/// The documents in a piece. What is bracketed may be JSON or YAML; when it is neither, the complaint of the
/// reader that it looks meant for is given.
Result<std::vector<Document>> parse_piece(Piece piece, std::string_view file) {
  const bool bracketed = is_bracketed(piece.text);
  std::vector<Document> documents;
  Result<std::vector<Node>> json;
  if (bracketed) {
    json = parse_json(piece, file);
    if (!json && file.ends_with(".json")) return std::unexpected(json.error());
    if (json) {
      for (Node& root : *json)
        documents.push_back({.root = std::move(root), .text = {}, .line = piece.line});
      return documents;
    }
  }
  auto yaml = parse_yaml(piece, file);
  if (!yaml) {
    Error fault = bracketed && looks_like_json(piece.text) ? json.error() : yaml.error();
    if (is_template(piece.text))
      fault.what += "; this looks like a Helm template: `helm template` renders it";
    return std::unexpected(std::move(fault));
  }
  if (std::optional<Node>& root = *yaml)
    documents.push_back({.root = std::move(*root), .text = std::move(piece.text), .line = piece.line});
  return documents;
}

} // namespace

struct Reader::Impl {
  Impl(std::string name, std::unique_ptr<std::istream> own_stream, std::istream& from)
      : file(std::move(name)), own(std::move(own_stream)), splitter(from, kMaxFile) {}

  std::string file;
  std::unique_ptr<std::istream> own; ///< empty when the stream is somebody else's
  Splitter splitter;
  std::deque<Document> waiting; ///< read with the piece before
  bool ended = false;           ///< its end, or its fault, was told

  // std::cin takes a fault of standard input for its end.
  [[nodiscard]] bool failed() const { return splitter.failed() || (!own && std::ferror(stdin) != 0); }
};

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::string& path, std::istream& standard_input) {
  if (path == kStandardInput) return Reader(std::make_unique<Impl>(path, nullptr, standard_input));
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) return fail(path, std::strerror(errno));
  std::istream& stream = *file;
  return Reader(std::make_unique<Impl>(path, std::move(file), stream));
}

std::optional<Result<Document>> Reader::next() {
  while (impl_->waiting.empty()) {
    std::optional<Piece> piece = impl_->splitter.next();
    if (!piece) {
      if (std::exchange(impl_->ended, true)) return {};
      if (impl_->splitter.too_large())
        return fail(place(impl_->file, {}), "is larger than " + std::to_string(kMaxFile >> 20U) + " MiB");
      if (!impl_->failed()) return {};
      return fail(place(impl_->file, {}), "can't be read");
    }
    Result<std::vector<Document>> documents = parse_piece(std::move(*piece), impl_->file);
    if (!documents) return std::unexpected(documents.error());
    std::ranges::move(*documents, std::back_inserter(impl_->waiting));
  }
  Document document = std::move(impl_->waiting.front());
  impl_->waiting.pop_front();
  return document;
}

} // namespace fluxhook::manifest
