#pragma once

#include <yaml.h>

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"
#include "manifest/splitter.h"

namespace fluxhook::manifest {

/// A text of libyaml's, empty where it has none.
inline std::string_view view(const yaml_char_t* text) {
  const void* bytes = text;
  return text == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes));
}

/// libyaml's parser over one piece: events with places in the file.
class YamlParser {
public:
  YamlParser(const Piece& piece, std::string_view file);
  ~YamlParser();
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;

  /// The next event, valid until the next call.
  [[nodiscard]] Result<const yaml_event_t*> next();

  /// Where something starts.
  [[nodiscard]] Position position(const yaml_mark_t& mark) const;

private:
  [[nodiscard]] Error fault() const;
  /// Whether the line of the problem begins with a tab, or blanks and a tab.
  [[nodiscard]] bool indented_by_tab() const;

  const Piece& piece_;
  std::string_view file_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

} // namespace fluxhook::manifest
