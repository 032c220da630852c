#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fluxhook::cli {

/// "1 error", "2 errors".
[[nodiscard]] inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

} // namespace fluxhook::cli
