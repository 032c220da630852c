#pragma once

#include <string>

#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// The value as JSON text: compact, or indented by two spaces a level and with a final newline.
[[nodiscard]] std::string to_json(const Node& node, bool indented = false);

/// The value as one YAML document without `---`, ending in a newline. Every YAML 1.1 and 1.2 reader gets the
/// same value back: what one of them would not take for a string is quoted, text of several lines is a block
/// scalar.
[[nodiscard]] std::string to_yaml(const Node& node);

} // namespace fluxhook::manifest
