#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fluxhook::manifest {

/// A comment, without its `#` and the blanks around it.
struct Comment {
  std::string text;
  std::uint32_t line = 0; ///< in the file
  bool alone = false;     ///< nothing else is in its line
};

/// The comments of a YAML text whose first line is `line`; of one that can't be read, up to its fault.
[[nodiscard]] std::vector<Comment> find_comments(std::string_view yaml, std::uint32_t line);

/// How many comments a YAML text has, in all of its documents; of a text that can't be read, up to its fault.
[[nodiscard]] std::size_t count_comments(std::string_view yaml);

} // namespace fluxhook::manifest
