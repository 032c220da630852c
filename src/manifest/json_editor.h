#pragma once

#include <optional>
#include <string>

#include "fluxhook/manifest/reader.h"

namespace fluxhook::manifest {

/// The text of a JSON document, changed to read as `after` and laid out as it was. None: its layout follows
/// no rule, as where some lists stand in one line and others don't.
[[nodiscard]] std::optional<std::string> edit_json(const Document& document, const Node& after);

} // namespace fluxhook::manifest
