#include "cli/terminal.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace fluxhook::cli {

bool wants_color() {
  const auto env = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return ::isatty(STDOUT_FILENO) == 1 && env("NO_COLOR").empty() && env("TERM") != "dumb";
}

std::string colored(std::string_view text, Color color, bool enabled) {
  constexpr std::array kCodes{"\033[31m", "\033[32m", "\033[33m", "\033[36m", "\033[1m"};
  if (!enabled) return std::string(text);
  return kCodes[static_cast<std::size_t>(color)] + std::string(text) + "\033[0m";
}

} // namespace fluxhook::cli
