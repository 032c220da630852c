#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/flux/resources.h"

namespace fluxhook::flux {

inline constexpr std::int64_t kHostsPerList = 1000; ///< one hostlist holds at most this many (flux-core)

/// The host names of all groups in rank order as Flux hostlists (RFC 29 of flux-framework), each of at most
/// kHostsPerList names: "js-node-0-[0-3],js-io-[0-9]-0". An item has one bracket, as flux-core's decoder
/// wants it (src/common/libhostlist), so pods are compressed within a Job, and Jobs of one pod each across
/// them. Error: a host name that is no DNS label.
[[nodiscard]] Result<std::vector<std::string>> hostlists(std::span<const NodeGroup> groups);

/// A range as hostlists and idsets write it: "0" for one, "0-3" for four from 0.
[[nodiscard]] std::string index_range(std::int64_t first, std::int64_t count);

} // namespace fluxhook::flux
