#include "fluxhook/flux/quote.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"
#include "fluxhook/k8s/names.h"

namespace fluxhook::flux {

namespace {

std::string toml_escape(char c) {
  switch (c) {
  case '"': return "\\\"";
  case '\\': return "\\\\";
  case '\n': return "\\n";
  case '\r': return "\\r";
  case '\t': return "\\t";
  default: break;
  }
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "\\u%04x",
                static_cast<unsigned>(static_cast<unsigned char>(c)));
  return buffer.data();
}

bool is_zpl(char c) {
  return is_alphanumeric(c) || (c != '\0' && std::string_view(" \t.-:+=^!/*?&<>()[]{}@%$#").contains(c));
}

} // namespace

Result<std::string> quote_shell(std::string_view text) {
  if (text.contains('\0')) return fail("", in_quotes(text) + " holds a NUL, which no shell word can");
  std::string word = "'";
  for (char c : text) {
    if (c == '\'') word += "'\\''";
    else word += c;
  }
  return word + '\'';
}

Result<std::string> quote_toml(std::string_view text) {
  if (!is_plain_utf8(text))
    return fail("", in_quotes(text) + " must be UTF-8 without NUL to stand in a TOML file");
  std::string value = "\"";
  for (char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"' && c != '\\';
    if (plain) value += c;
    else value += toml_escape(c);
  }
  return value + '"';
}

Result<std::string> quote_zpl(std::string_view text) {
  if (!std::ranges::all_of(text, is_zpl))
    return fail("", in_quotes(text) +
                        " must consist of letters, digits, blanks and .-:+=^!/*?&<>()[]{}@%$# to "
                        "stand in a certificate");
  return '"' + std::string(text) + '"';
}

Result<std::string> quote_hostlist(std::string_view host) {
  if (const std::string fault = k8s::check_dns1123_label(host); !fault.empty())
    return fail("", in_quotes(host) + " can't be a broker's host name: " + fault);
  return std::string(host);
}

} // namespace fluxhook::flux
