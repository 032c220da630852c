#include "fluxhook/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "fluxhook/base/ascii.h"

namespace fluxhook {

namespace {

/// One character of a UTF-8 text: its code point and how many bytes it takes; `well_formed` false: one stray
/// byte.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
  bool well_formed = false;
};

/// Decodes the character at the start of `text`, which is not empty (Unicode 16, table 3-7).
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {.code = first, .length = 1, .well_formed = true};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[length] || code > 0x10ffff || surrogate) return {};
  return {.code = code, .length = length, .well_formed = true};
}

/// Controls, separators, invisible and direction marks, private use: what would not show, or would
/// change how the rest of a line shows.
bool shows(std::uint32_t code) {
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  static constexpr std::array<Range, 17> kHidden{{{0x0, 0x1f},
                                                  {0x7f, 0xa0},
                                                  {0xad, 0xad},
                                                  {0x61c, 0x61c},
                                                  {0x1680, 0x1680},
                                                  {0x180e, 0x180e},
                                                  {0x2000, 0x200f},
                                                  {0x2028, 0x202f},
                                                  {0x205f, 0x206f},
                                                  {0x3000, 0x3000},
                                                  {0xe000, 0xf8ff},
                                                  {0xfdd0, 0xfdef},
                                                  {0xfeff, 0xfeff},
                                                  {0xfff0, 0xfffb},
                                                  {0xfffe, 0xffff},
                                                  {0x1fffe, 0x1ffff},
                                                  {0xe0000, 0x10ffff}}};
  return std::ranges::none_of(kHidden, [&](Range r) { return code >= r.first && code <= r.second; });
}

std::string hexadecimal(char kind, int digits, std::uint32_t value) {
  std::array<char, 16> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "\\%c%0*x", kind, digits, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

/// A character that can't stand for itself between double quotes.
std::string escape(std::uint32_t code) {
  static constexpr std::string_view kCodes = "\a\b\f\n\r\t\v\"\\";
  static constexpr std::string_view kNames = "abfnrtv\"\\";
  if (code < 0x80) {
    const std::size_t i = kCodes.find(static_cast<char>(code));
    return i == std::string_view::npos ? hexadecimal('x', 2, code) : std::string{'\\', kNames[i]};
  }
  return code > 0xffff ? hexadecimal('U', 8, code) : hexadecimal('u', 4, code);
}

/// `text` with what does not show escaped, and the characters of `also`.
std::string escaped(std::string_view text, std::string_view also) {
  std::string out;
  while (!text.empty()) {
    const Character c = decode(text);
    if (!c.well_formed) out += hexadecimal('x', 2, static_cast<unsigned char>(text.front()));
    else if (shows(c.code) && !also.contains(text.front())) out += text.substr(0, c.length);
    else out += escape(c.code);
    text.remove_prefix(c.length);
  }
  return out;
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// Whether a block of words is ASCII and has no NUL. There is no early end, so that the compiler makes
/// vectors of it.
template <std::size_t Words>
bool plain_ascii(const char* block) {
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < Words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, block + i * sizeof word, sizeof word);
    // A borrow out of a byte of zero sets its high bit, as a byte above 0x7f has it.
    seen |= word | (word - kOnes);
  }
  return (seen & kHigh) == 0;
}

// How many of the first bytes are ASCII and no NUL, in large steps and then in small ones: the common case of
// a whole review.
std::size_t plain_ascii_length(std::string_view text) {
  std::size_t at = 0;
  while (text.size() - at >= 64 && plain_ascii<8>(text.data() + at))
    at += 64;
  while (text.size() - at >= 8 && plain_ascii<1>(text.data() + at))
    at += 8;
  return at;
}

} // namespace

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(trim(text.substr(at, end - at)));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = std::to_address(text.end());
  const auto [rest, fault] = std::from_chars(std::to_address(text.begin()), end, value);
  return fault == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::size_t limit = std::max<std::size_t>(name.size() / 3, 1);
  std::string_view best;
  for (std::string_view candidate : candidates) {
    const std::size_t gap = std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    const std::size_t distance = gap > limit ? gap : edit_distance(name, candidate);
    if (distance < limit || (distance == limit && best.empty())) {
      best = candidate;
      limit = distance;
    }
  }
  return best;
}

std::string in_quotes(std::string_view text) { return '"' + escaped(text, "\"\\") + '"'; }

std::string printable(std::string_view text) { return escaped(text, {}); }

std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  for (int back = 0; back < 3 && limit > 0 && continues_character(text[limit]); ++back)
    --limit;
  return text.substr(0, limit);
}

std::string shortened(std::string_view text, std::size_t limit) {
  return text.size() <= limit ? std::string(text) : std::string(cut(text, limit)) + "…";
}

std::size_t plain_utf8_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    at += plain_ascii_length(text.substr(at));
    if (at == text.size()) break;
    const Character c = decode(text.substr(at));
    if (!c.well_formed || c.code == 0) break;
    at += c.length;
  }
  return at;
}

bool is_plain_utf8(std::string_view text) { return plain_utf8_length(text) == text.size(); }

} // namespace fluxhook
