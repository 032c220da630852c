#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fluxhook::companion {

/// Upper bounds of the latency's buckets, seconds.
inline constexpr std::array kLatencyBounds{0.01, 0.025, 0.05, 0.1,  0.25, 0.5,
                                           1.0,  2.5,   5.0,  10.0, 30.0, 60.0};

/// What a controller has done and has to do: the metrics.
struct Figures {
  std::uint64_t config_maps = 0, secrets = 0;                ///< created
  std::vector<std::pair<std::string, std::uint64_t>> errors; ///< tasks that failed, by reason
  std::uint64_t watch_faults = 0;                            ///< lists and watches that failed
  bool leader = false;
  std::size_t queue = 0; ///< JobSets whose companions aren't there yet
  /// From when the watch told that a JobSet needs companions to when it has both.
  std::array<std::uint64_t, kLatencyBounds.size() + 1>
      latency{};          ///< by bucket, the last one beyond all bounds
  double latency_sum = 0; ///< seconds
};

} // namespace fluxhook::companion
