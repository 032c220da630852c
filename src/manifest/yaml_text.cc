#include "manifest/yaml_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "manifest/scalar.h"

namespace fluxhook::manifest {
namespace {

/// A character and its bytes.
struct Character {
  std::uint32_t code = 0;
  std::size_t size = 1;
};

/// The first character of UTF-8 text.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0xC0) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1FU) << 6 | (byte(1) & 0x3FU), 2};
  if (lead < 0xF0) return {(lead & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU), 3};
  return {(lead & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 | (byte(3) & 0x3FU), 4};
}

/// Whether YAML lets a character stand as it is, and no reader takes it for a line break.
bool is_printable(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  return code != 0x2028 && code != 0x2029 && code != 0xFEFF && code != 0xFFFE && code != 0xFFFF;
}

bool all_printable(std::string_view text, std::string_view also) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!is_printable(character.code) && !also.contains(text[0])) return false;
    text.remove_prefix(std::min(character.size, text.size()));
  }
  return true;
}

/// Whether some YAML 1.1 reader takes it for a number, a date or a time, though kubectl's does not.
bool looks_like_number(std::string_view text) {
  constexpr std::string_view kFirst = "0123456789+-.";
  constexpr std::string_view kAll = "0123456789+-._:eExXoOabcdfABCDFTtZz ";
  return kFirst.contains(text.front()) && text.find_first_of("0123456789") != text.npos &&
         text.find_first_not_of(kAll) == text.npos;
}

/// Whether YAML's syntax lets it stand without quotes, outside flow collections.
bool is_plain_syntax(std::string_view text) {
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`";
  const char first = text.front();
  if (kIndicators.contains(first) || first == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if ((first == '-' || first == '?' || first == ':') && (text.size() == 1 || text[1] == ' ')) return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  return !text.contains(": ") && !text.contains(" #");
}

bool is_plain(std::string_view text) {
  if (text.empty() || text == "=" || text == "<<") return false;
  const Result<Scalar> read = resolve(text);
  return read && read->kind == Node::Kind::kString && !looks_like_number(text) && is_plain_syntax(text) &&
         all_printable(text, "");
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

void escape(std::uint32_t code, std::string& out) {
  std::array<char, 12> buffer{};
  std::snprintf(buffer.data(), buffer.size(), code < 0x100 ? "\\x%02x" : "\\u%04x", code);
  out += buffer.data();
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.size);
    switch (character.code) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    default:
      if (is_printable(character.code)) {
        out += bytes;
      } else {
        escape(character.code, out);
      }
    }
    text.remove_prefix(bytes.size());
  }
  return out + '"';
}

} // namespace

std::string yaml_scalar(std::string_view text, bool in_flow) {
  const bool flow_syntax = text.find_first_of(",[]{}?") == text.npos;
  if (is_plain(text) && (!in_flow || flow_syntax)) return std::string(text);
  const bool single = text.find_first_of("\"\\") != text.npos && all_printable(text, "");
  return single ? single_quoted(text) : double_quoted(text);
}

bool is_block(std::string_view text) {
  return text.contains('\n') && text.find_first_not_of(" \n\t") != text.npos && all_printable(text, "\n\t");
}

} // namespace fluxhook::manifest
