#pragma once

#include <optional>
#include <string>

#include "fluxhook/manifest/reader.h"

namespace fluxhook::manifest {

/// The text of a document. JSON is laid out as it was, if that follows a rule. YAML is changed in no more
/// than it takes to read as `after`: what is added stands behind what is there, indented and in the style
/// (block or flow) of its surroundings; a value that changes is replaced where it stands; an alias or a merge
/// key whose value changes is written out. Comments, quotes, the keys' order, blank lines and line ends stay.
/// The result has been read again, and is `after`. None: it can't be done, as when a key goes, or an anchor
/// inside a value that is replaced.
[[nodiscard]] std::optional<std::string> edit(const Document& document, const Node& after);

} // namespace fluxhook::manifest
