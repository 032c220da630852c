#pragma once

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// Applies a JSON Patch (RFC 6902) of `add` and `replace`, which is what fluxhook sends. What it does not
/// name stays as it is, place and digits included. Error: an operation of another kind, or a path that leads
/// nowhere; `root` is then partly changed.
[[nodiscard]] Result<void> apply_patch(Node& root, const Node& patch);

} // namespace fluxhook::manifest
