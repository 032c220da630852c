#pragma once

#include <cstddef>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace fluxhook::server {

/// What every Prometheus client says of its process (memory, CPU time, descriptors, threads, start), from
/// /proc.
[[nodiscard]] std::vector<prometheus::MetricFamily> process_metrics();

/// Cores that this process may use: by its affinity and by the cgroup's CPU limit, rounded up; at least 1.
[[nodiscard]] std::size_t usable_cores();

/// Lets the process open `wanted` descriptors, or as many as its hard limit allows; returns how many.
std::size_t raise_descriptor_limit(std::size_t wanted);

} // namespace fluxhook::server
