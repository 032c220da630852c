#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fluxhook::cli {

/// Whether standard output is a terminal that wants colours (https://no-color.org).
[[nodiscard]] bool wants_color();

enum class Color : std::uint8_t { kRed, kGreen, kYellow, kCyan, kBold };

/// `text` in that colour, or as it is.
[[nodiscard]] std::string colored(std::string_view text, Color color, bool enabled);

} // namespace fluxhook::cli
