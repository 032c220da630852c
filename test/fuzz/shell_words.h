#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"

namespace fluxhook::fuzz {

/// One word of a POSIX shell (2.2 Quoting) at the beginning of `text`, up to the first character outside of
/// quotes that is neither a quote nor escaped; `text` is then what follows. It knows the quotes that expand
/// nothing.
inline std::string take_shell_word(std::string_view& text) {
  std::string word;
  while (!text.empty()) {
    if (text.starts_with('\'')) {
      const std::size_t end = text.find('\'', 1);
      require(end != text.npos, "a quote ends", text);
      word += text.substr(1, end - 1);
      text.remove_prefix(end + 1);
    } else if (text.starts_with('\\') && text.size() > 1) {
      word += text[1];
      text.remove_prefix(2);
    } else {
      break;
    }
  }
  return word;
}

/// By the name of its placeholder, what a rendered script has in its place, as a shell reads it. All else has
/// to be the template, byte for byte.
inline std::map<std::string, std::vector<std::string>> read_back(std::string_view from,
                                                                 std::string_view script) {
  constexpr std::string_view kName = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  std::map<std::string, std::vector<std::string>> found;
  while (!from.empty()) {
    const std::size_t end = from.starts_with('@') ? from.find_first_not_of(kName, 1) : 0;
    if (end < 2 || end == from.npos || from[end] != '@') { // no placeholder
      const std::size_t plain = std::min(from.find('@', 1), from.size());
      require(script.starts_with(from.substr(0, plain)), "a script is its template", script.substr(0, 200));
      from.remove_prefix(plain);
      script.remove_prefix(plain);
      continue;
    }
    auto& words = found[std::string(from.substr(1, end - 1))];
    from.remove_prefix(end + 1);
    const std::size_t bare = script.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789");
    if (bare != 0) words.emplace_back(script.substr(0, bare));
    script.remove_prefix(bare);
    while (script.starts_with('\'')) {
      words.push_back(take_shell_word(script));
      if (script.starts_with(" '")) script.remove_prefix(1);
    }
  }
  require(script.empty(), "nothing stands behind the template's end", script);
  return found;
}

} // namespace fluxhook::fuzz
