#pragma once

#include <atomic>
#include <cstdint>

#include "server/clock.h"

namespace fluxhook::server {

/// Lets one event a period through and counts the others, so that nobody can fill a log; thread-safe.
class Throttle {
public:
  explicit Throttle(Clock::duration period) : period_(period) {}

  /// How many events there were since the last one that was let through, this one included; 0: this one is
  /// not.
  [[nodiscard]] std::int64_t pass(Clock::time_point now) {
    ++held_;
    Clock::time_point next = next_.load();
    if (now < next || !next_.compare_exchange_strong(next, now + period_)) return 0;
    return held_.exchange(0);
  }

private:
  const Clock::duration period_;
  std::atomic<std::int64_t> held_{0};
  std::atomic<Clock::time_point> next_{Clock::time_point::min()};
};

} // namespace fluxhook::server
