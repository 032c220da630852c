#include "manifest/json_editor.h"

#include <algorithm>
#include <string_view>

#include "manifest/json_writer.h"

namespace fluxhook::manifest {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// Offset of the first character from `at` on that is not blank.
std::size_t behind_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlank, at), text.size());
}

/// What stands around the colon behind the text's first key.
std::string colon_of(std::string_view text) {
  std::size_t key = text.find('"');
  if (key == text.npos) return ":";
  for (++key; key < text.size() && text[key] != '"'; ++key)
    if (text[key] == '\\') ++key;
  const std::size_t begin = std::min(key + 1, text.size());
  const std::size_t colon = behind_blanks(text, begin);
  if (colon == text.size() || text[colon] != ':') return ":";
  return std::string(text.substr(begin, behind_blanks(text, colon + 1) - begin));
}

/// The spacing that a text's first values have.
JsonSpacing spacing_of(std::string_view text) {
  JsonSpacing spacing;
  spacing.colon = colon_of(text);
  const std::string_view blanks = text.substr(1, behind_blanks(text, 1) - 1);
  const std::size_t line = blanks.rfind('\n');
  if (line == blanks.npos) return spacing;
  spacing.line_end = blanks.substr(0, line + 1);
  spacing.indent = blanks.substr(line + 1);
  return spacing;
}

} // namespace

std::optional<std::string> edit_json(const Document& document, const Node& after) {
  const std::string_view whole = document.text;
  const std::size_t begin = behind_blanks(whole, 0);
  const std::size_t end = whole.find_last_not_of(kBlank) + 1;
  if (begin >= end) return {};
  const std::string_view text = whole.substr(begin, end - begin);
  JsonSpacing spacing = spacing_of(text);
  bool same = to_json(document.root, spacing) == text;
  if (!same && spacing.line_end.empty()) {
    spacing.comma = ", ";
    same = to_json(document.root, spacing) == text;
  }
  if (!same) return {};
  return std::string(whole.substr(0, begin)) + to_json(after, spacing) + std::string(whole.substr(end));
}

} // namespace fluxhook::manifest
