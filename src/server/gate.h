#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "server/clock.h"
#include "server/metrics.h"

namespace fluxhook::server {

struct Guest;

/// Bounds how many reviews are decided at once; the others wait here, the one that must be answered first in
/// front. A review that can't be answered in time is not decided at all: nobody would be there any more to
/// hear it.
class Gate {
public:
  Gate(std::size_t limit, Metrics& metrics) : limit_(limit), metrics_(metrics) {}

  enum class Entry : std::uint8_t { kGo, kWait, kShed };

  /// kGo: decide it now, and say leave() afterwards. kWait: the gate has it until leave() or expired() hands
  /// it out. kShed: by `deadline` its turn will not have come.
  [[nodiscard]] Entry enter(Guest* guest, Clock::time_point now, Clock::time_point deadline);

  /// A review was decided within `took`. Returns the next one to decide, if any waits.
  [[nodiscard]] Guest* leave(Clock::time_point now, Clock::duration took);

  /// Whether a decision usually takes a millisecond or more; true until one was made.
  [[nodiscard]] bool slow() const { return slow_; }

  /// Those whose deadline is over: to be refused.
  [[nodiscard]] std::vector<Guest*> expired(Clock::time_point now);

  /// The first deadline of those that wait.
  [[nodiscard]] std::optional<Clock::time_point> next_deadline();

private:
  struct Waiting {
    Guest* guest;
    Clock::time_point since;
  };

  const std::size_t limit_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::size_t inside_ = 0;
  std::multimap<Clock::time_point, Waiting> waiting_; ///< by deadline
  Clock::duration usual_{};                           ///< moving average of what a decision takes
  std::atomic<bool> slow_{true};
};

} // namespace fluxhook::server
