#pragma once

#include <string>
#include <string_view>

#include "fluxhook/manifest/node.h"

namespace fluxhook::cli {

/// A place as manifest::place() writes it, taken apart again: FILE[:LINE:COLUMN].
struct Place {
  std::string_view file;
  manifest::Position at; ///< zeros: not known
};
[[nodiscard]] Place take_apart(std::string_view where);

/// A line of a file and a caret below one of its characters, in two lines; of a long line the part around it.
/// Empty when the place is not known or the line not there.
[[nodiscard]] std::string excerpt(std::string_view line, manifest::Position at);

} // namespace fluxhook::cli
