#pragma once

#include <string>

#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// What stands between the tokens of a JSON text.
struct JsonSpacing {
  std::string line_end; ///< before each value of a list or an object, and before its end; empty: one line
  std::string indent;   ///< of a level, after it
  std::string colon = ":", comma = ",";
};

[[nodiscard]] std::string to_json(const Node& node, const JsonSpacing& spacing);

} // namespace fluxhook::manifest
