#include "fluxhook/manifest/comments.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fluxhook/base/ascii.h"
#include "manifest/splitter.h"
#include "manifest/yaml_parser.h"

namespace fluxhook::manifest {
namespace {

/// Goes over a text by libyaml's marks, which count characters.
class Walk {
public:
  explicit Walk(std::string_view text) : text_(text) {}

  /// What lies between here and there.
  std::string_view to(std::size_t character) {
    const std::size_t start = byte_;
    for (; byte_ < text_.size(); ++byte_) {
      const bool inside = continues_character(text_[byte_]);
      if (!inside && character_ >= character) break;
      if (!inside) ++character_;
    }
    return text_.substr(start, byte_ - start);
  }

private:
  std::string_view text_;
  std::size_t byte_ = 0;
  std::size_t character_ = 0; ///< that starts at byte_
};

/// Notes comments, of which it is told where they may be.
class Collector {
public:
  Collector(std::string_view text, std::uint32_t line) : text_(text), line_(line) {}

  /// `part` of the text holds no scalar.
  void look_in(std::string_view part) {
    const auto start = static_cast<std::size_t>(part.data() - text_.data());
    for (std::size_t at = part.find('#'); at != part.npos; at = part.find('#', at)) {
      const std::size_t end = std::min(part.find('\n', at), part.size());
      add(start + at, std::string(part.substr(at + 1, end - at - 1)));
      at = end;
    }
  }
  std::vector<Comment> done() { return std::move(comments_); }

private:
  void add(std::size_t at, std::string text) {
    const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
    text = first == text.npos ? std::string() : text.substr(first, last + 1 - first);
    line_ += static_cast<std::uint32_t>(std::ranges::count(text_.substr(counted_, at - counted_), '\n'));
    counted_ = at;
    const std::size_t line = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1; // npos + 1 is 0
    const bool alone = text_.find_first_not_of(" \t", line) == at;
    comments_.push_back({std::move(text), line_, alone});
  }

  std::string_view text_;
  std::uint32_t line_;
  std::size_t counted_ = 0; ///< as far as line_ is right
  std::vector<Comment> comments_;
};

/// `key: | # a comment` is part of the scalar to libyaml.
bool has_commented_header(const yaml_event_t& event, std::string_view text) {
  if (event.type != YAML_SCALAR_EVENT) return false;
  const auto style = event.data.scalar.style;
  const bool block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
  return block && text.substr(0, text.find('\n')).contains(" #");
}

} // namespace

std::vector<Comment> find_comments(std::string_view yaml, std::uint32_t line) {
  const Piece piece{.text = std::string(yaml)};
  YamlParser parser(piece, {});
  Walk walk(piece.text);
  Collector collector(piece.text, line);
  while (true) {
    const auto event = parser.next();
    if (!event) return collector.done();
    collector.look_in(walk.to((*event)->start_mark.index));
    if ((*event)->type == YAML_STREAM_END_EVENT) return collector.done();
    const std::string_view text = walk.to((*event)->end_mark.index);
    if (has_commented_header(**event, text)) collector.look_in(text.substr(0, text.find('\n')));
  }
}

std::size_t count_comments(std::string_view yaml) { return find_comments(yaml, 1).size(); }

} // namespace fluxhook::manifest
