#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// Checks that no key is there twice. Error: names both places in `file`.
[[nodiscard]] Result<void> check_unique(const std::vector<Member>& members, std::string_view file);

/// Replaces the members at the indices `merges` (YAML's merge keys `<<`) by the members of the objects they
/// hold; what is there already stays. Error: no object and no list of them; or a key that stands above the
/// merge key and in it, since kubectl lets the merge key win there and the YAML specification does not.
[[nodiscard]] Result<void> expand_merges(std::vector<Member>& members, const std::vector<std::size_t>& merges,
                                         std::string_view file);

} // namespace fluxhook::manifest
