#include "cli/excerpt.h"

#include <cstdint>

#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"

namespace fluxhook::cli {
namespace {

constexpr std::size_t kShown = 90;  ///< characters of a line
constexpr std::size_t kBefore = 60; ///< of them at most before the caret

/// The number that a text ends with, behind a colon; cut off, or 0.
std::uint32_t cut_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return 0;
  const auto number = parse_integer(text.substr(colon + 1));
  if (!number || *number < 1 || *number > UINT32_MAX) return 0;
  text = text.substr(0, colon);
  return static_cast<std::uint32_t>(*number);
}

/// The offset `count` characters behind `at`, or the end.
std::size_t advance(std::string_view text, std::size_t at, std::size_t count) {
  for (; count > 0 && at < text.size(); --count) {
    ++at;
    while (at < text.size() && continues_character(text[at]))
      ++at;
  }
  return at;
}

/// Columns that a character takes: one, or its escape's.
std::size_t shown_width(std::string_view character) {
  return character.size() > 1 && static_cast<unsigned char>(character.front()) < 0x80 ? character.size() : 1;
}

} // namespace

Place take_apart(std::string_view where) {
  std::string_view rest = where;
  const std::uint32_t column = cut_number(rest);
  const std::uint32_t line = column == 0 ? 0 : cut_number(rest);
  if (line == 0) return {where, {}};
  return {rest, {line, column}};
}

std::string excerpt(std::string_view line, manifest::Position at) {
  const std::size_t index = at.column - 1;
  if (at.line == 0 || line.empty()) return {};
  const std::size_t first = line.size() <= kShown || index <= kBefore ? 0 : index - kBefore; // character
  const std::size_t start = advance(line, 0, first);
  const std::size_t marked = advance(line, start, index - first);
  const std::size_t end = advance(line, start, kShown);
  std::string shown = start > 0 ? "…" : "";
  std::size_t caret = start > 0 ? 1 : 0;
  for (std::size_t i = start, next = 0; i < end; i = next) {
    next = advance(line, i, 1);
    const std::string character = line[i] == '\t' ? " " : printable(line.substr(i, next - i));
    if (i < marked) caret += shown_width(character);
    shown += character;
  }
  const std::string number = std::to_string(at.line);
  return "  " + number + " | " + shown + (end < line.size() ? "…" : "") + "\n  " +
         std::string(number.size(), ' ') + " | " + std::string(caret, ' ') + "^";
}

} // namespace fluxhook::cli
