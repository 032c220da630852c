#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook {

/// `text` without leading and trailing spaces and tabs; borrows from it.
[[nodiscard]] std::string_view trim(std::string_view text);

/// The parts of `text` between separators, each trimmed; empty parts stay. "" gives one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The texts one after another, with `between` between two of them.
template <class Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view between = ", ") {
  std::string all;
  bool first = true;
  for (const std::string_view text : texts) {
    if (!first) all += between;
    first = false;
    all += text;
  }
  return all;
}

/// Whether two texts are the same but for the case of ASCII letters.
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);

/// A decimal integer that is the whole of `text`: optional '-', then digits; nothing else, no overflow.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// The candidate nearest to `name` by edit distance, when it is near enough to be a likely misspelling
/// (at most a third of its length, at least 1); "" otherwise.
[[nodiscard]] std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// `text` as a Go-like quoted string ("…" with \" \\ \n \t \xNN \uNNNN), for messages: one line, printable,
/// whatever `text` holds.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// `text` with each character that would not show, or would change how the rest shows, escaped as by
/// in_quotes(); quotes and backslashes stay. For names and values in lines for people: no file name and no
/// manifest can move a terminal's cursor or begin a line of its own.
[[nodiscard]] std::string printable(std::string_view text);

/// At most the first `limit` bytes of `text`, ending with a whole character; borrows from it.
[[nodiscard]] std::string_view cut(std::string_view text, std::size_t limit);

/// The same with "…" behind it where something is cut off.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t limit);

/// How many of the first bytes of `text` are well-formed UTF-8 without NUL: the place of the first fault, or
/// all.
[[nodiscard]] std::size_t plain_utf8_length(std::string_view text);

/// Whether `text` is well-formed UTF-8 without NUL.
[[nodiscard]] bool is_plain_utf8(std::string_view text);

} // namespace fluxhook
