#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fluxhook {

/// A line for the log, of a module that knows no log.
struct Note {
  enum class Level : std::uint8_t { kInfo, kWarn, kError };
  Level level = Level::kInfo;
  std::string message;                                     ///< may hold anything: the log makes a line of it
  std::vector<std::pair<std::string, std::string>> fields; ///< name and value; a name is a plain word
};

} // namespace fluxhook
