#pragma once

#include <span>
#include <string>

#include "cli/replay_load.h"

namespace fluxhook::cli {

/// Counts, requests a second, latencies; before them each review whose answer differs, with the places.
/// `compared`: with expected answers.
[[nodiscard]] std::string load_text(std::span<const Recorded> reviews, const Load& load,
                                    const LoadOptions& options, bool compared);

/// The same for machines; latencies in milliseconds, differences all of them.
[[nodiscard]] std::string load_json(std::span<const Recorded> reviews, const Load& load,
                                    const LoadOptions& options);

} // namespace fluxhook::cli
