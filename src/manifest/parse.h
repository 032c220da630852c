#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"
#include "manifest/position.h"
#include "manifest/splitter.h"

namespace fluxhook::manifest {

/// The document in a piece; none when it is empty. Errors name the place in `file`.
[[nodiscard]] Result<std::optional<Node>> parse_yaml(const Piece& piece, std::string_view file);

/// A JSON text, and where it ends in its piece.
struct JsonText {
  Node root;
  std::size_t end = 0;
};

/// The JSON text in `text` that begins at `start` or behind blanks; `locator` is over the same text.
[[nodiscard]] Result<JsonText> parse_json(std::string_view text, std::size_t start, Locator& locator,
                                          std::string_view file);

} // namespace fluxhook::manifest
