#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"
#include "manifest/splitter.h"

namespace fluxhook::manifest {

/// The document in a piece; none when it is empty. Errors name the place in `file`.
[[nodiscard]] Result<std::optional<Node>> parse_yaml(const Piece& piece, std::string_view file);

/// The JSON texts in a piece, one after another.
[[nodiscard]] Result<std::vector<Node>> parse_json(const Piece& piece, std::string_view file);

} // namespace fluxhook::manifest
