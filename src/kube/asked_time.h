#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace fluxhook::kube {

/// Whatever a server says, it is asked again within this time.
inline constexpr std::chrono::seconds kLongestWait = std::chrono::hours(1);
/// What a Lease can last: any int32, and it can be added to any time in nanoseconds.
inline constexpr std::chrono::seconds kLongestLease{INT32_MAX};

/// Seconds that a server names, from 0 to `most`.
[[nodiscard]] inline std::chrono::seconds asked_time(std::int64_t seconds, std::chrono::seconds most) {
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, most.count()));
}

} // namespace fluxhook::kube
