#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace fluxhook::test {

/// A labelled JobSet with whatever people put into one, the same for the same seed: several replicatedJobs
/// and replicas, init containers, an own /dev/shm, affinity, metadata, security contexts, host network,
/// settings, suspended … All are accepted by the rules.
nlohmann::json generate_jobset(std::uint32_t seed);

} // namespace fluxhook::test
