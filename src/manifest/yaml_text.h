#pragma once

#include <string>
#include <string_view>

namespace fluxhook::manifest {

/// A string as a YAML scalar in one line: plain where every reader takes it for this string, else quoted;
/// `in_flow`: inside of brackets or braces.
[[nodiscard]] std::string yaml_scalar(std::string_view text, bool in_flow = false);

/// Whether a string can and should be a literal block scalar: several lines of printable text.
[[nodiscard]] bool is_block(std::string_view text);

} // namespace fluxhook::manifest
