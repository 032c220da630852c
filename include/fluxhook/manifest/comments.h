#pragma once

#include <cstddef>
#include <string_view>

namespace fluxhook::manifest {

/// How many comments a YAML text has, in all of its documents; of a text that can't be read, up to its fault.
[[nodiscard]] std::size_t count_comments(std::string_view yaml);

} // namespace fluxhook::manifest
