#include "fluxhook/manifest/reader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <istream>
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
  return text.find_first_not_of(" \t\r\n", start);
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

/// The line `line` of a text that begins with the line `first`, without its end.
std::string_view nth_line(std::string_view text, std::uint32_t first, std::uint32_t line) {
  if (line < first) return {};
  for (; first < line; ++first) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  return text.substr(0, text.size() - (text.ends_with('\r') ? 1 : 0));
}

} // namespace

std::string_view line_of(const Document& document, std::uint32_t line) {
  return nth_line(document.text, document.line, line);
}

struct Reader::Impl {
  Impl(std::string name, std::unique_ptr<std::istream> own_stream, std::istream& from)
      : file(std::move(name)), own(std::move(own_stream)), splitter(from, kMaxFile) {}

  std::string file;
  std::unique_ptr<std::istream> own; ///< empty when the stream is somebody else's
  Splitter splitter;
  Piece piece;                      ///< the last one
  std::unique_ptr<Locator> locator; ///< over the piece, while there is JSON in it
  std::size_t json_at = 0;          ///< where the next JSON text may be
  std::string lead;                 ///< of the next document
  bool ended = false;               ///< its end, or its fault, was told

  // std::cin takes a fault of standard input for its end.
  [[nodiscard]] bool failed() const { return splitter.failed() || (!own && std::ferror(stdin) != 0); }
  Result<Document> next_json();
  Result<std::optional<Document>> first_of_piece();
  Result<std::optional<Document>> yaml(const std::optional<Error>& not_json);
};

/// The last one has what follows it too. Behind what is no JSON nothing is looked for.
Result<Document> Reader::Impl::next_json() {
  const std::size_t start = std::exchange(json_at, piece.text.npos);
  const std::uint32_t line = locator->at(start).line;
  Result<JsonText> value = parse_json(piece.text, start, *locator, file);
  if (!value) return std::unexpected(value.error());
  std::size_t end = value->end;
  if (first_of(piece.text, end) == piece.text.npos) end = piece.text.size();
  else json_at = end;
  return Document{.root = std::move(value->root),
                  .text = piece.text.substr(start, end - start),
                  .lead = std::exchange(lead, {}),
                  .line = line,
                  .json = true};
}

/// What is bracketed may be JSON or YAML; when it is neither, the complaint of the reader that it looks meant
/// for is given.
Result<std::optional<Document>> Reader::Impl::first_of_piece() {
  if (piece.marked) lead = "\xEF\xBB\xBF";
  locator = std::make_unique<Locator>(piece.text, piece.line);
  json_at = piece.text.npos;
  if (!is_bracketed(piece.text)) return yaml({});
  json_at = 0;
  Result<Document> json = next_json();
  if (json) return std::optional(std::move(*json));
  if (file.ends_with(".json")) return std::unexpected(json.error());
  return yaml(json.error());
}

Result<std::optional<Document>> Reader::Impl::yaml(const std::optional<Error>& not_json) {
  auto root = parse_yaml(piece, file);
  if (!root) {
    Error fault = not_json && looks_like_json(piece.text) ? *not_json : root.error();
    if (is_template(piece.text))
      fault.what += "; this looks like a Helm template: `helm template` renders it";
    return std::unexpected(std::move(fault));
  }
  std::optional<Node>& node = *root;
  if (!node) {
    lead += piece.text;
    return std::nullopt;
  }
  return Document{.root = std::move(*node),
                  .text = std::move(piece.text),
                  .lead = std::exchange(lead, {}),
                  .line = piece.line};
}

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
  if (impl_->json_at < impl_->piece.text.size()) return impl_->next_json();
  while (auto piece = impl_->splitter.next()) {
    impl_->piece = std::move(*piece);
    auto document = impl_->first_of_piece();
    if (!document) return std::unexpected(document.error());
    std::optional<Document>& found = *document;
    if (found) return std::move(*found);
  }
  if (std::exchange(impl_->ended, true)) return {};
  if (impl_->splitter.too_large())
    return fail(place(impl_->file, {}), "is larger than " + std::to_string(kMaxFile >> 20U) + " MiB");
  if (impl_->failed()) return fail(place(impl_->file, {}), "can't be read");
  return {};
}

std::string_view Reader::failed_line(std::uint32_t line) const {
  return nth_line(impl_->piece.text, impl_->piece.line, line);
}

const std::string& Reader::rest() const { return impl_->lead; }

} // namespace fluxhook::manifest
