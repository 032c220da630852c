#pragma once

#include <stop_token>
#include <string>

#include "fluxhook/companion/objects.h"
#include "fluxhook/kube/client.h"

namespace fluxhook::companion {

/// The master key in a Secret; 32 random bytes are stored where there is none. One that exists is never
/// changed. Error: what was refused, or what the Secret holds instead, naming it and what would be right.
[[nodiscard]] Result<CurveSource> keep_master_key(kube::Client& client, const std::string& name_space,
                                                  const std::string& name, const std::stop_token& stop);

} // namespace fluxhook::companion
