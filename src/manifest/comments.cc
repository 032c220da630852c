#include "fluxhook/manifest/comments.h"

#include <algorithm>
#include <string>

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
      const bool inside = (static_cast<unsigned char>(text_[byte_]) & 0xC0U) == 0x80U;
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

/// Of a text without scalars.
std::size_t comments_between(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at)) {
    ++count;
    at = std::min(text.find('\n', at), text.size());
  }
  return count;
}

/// `key: | # a comment` is part of the scalar to libyaml.
bool has_commented_header(const yaml_event_t& event, std::string_view text) {
  if (event.type != YAML_SCALAR_EVENT) return false;
  const auto style = event.data.scalar.style;
  const bool block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
  return block && text.substr(0, text.find('\n')).contains(" #");
}

} // namespace

std::size_t count_comments(std::string_view yaml) {
  const Piece piece{.text = std::string(yaml)};
  YamlParser parser(piece, {});
  Walk walk(piece.text);
  std::size_t count = 0;
  while (true) {
    const auto event = parser.next();
    if (!event) return count;
    count += comments_between(walk.to((*event)->start_mark.index));
    if ((*event)->type == YAML_STREAM_END_EVENT) return count;
    if (has_commented_header(**event, walk.to((*event)->end_mark.index))) ++count;
  }
}

} // namespace fluxhook::manifest
