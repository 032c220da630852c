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
  /// it out. kShed: by `deadline` its turn will not have come. `bytes`: of the review.
  [[nodiscard]] Entry enter(Guest* guest, std::size_t bytes, Clock::time_point now,
                            Clock::time_point deadline);

  /// A review of so many bytes was decided within `took`. Returns the next one to decide, if any waits.
  [[nodiscard]] Guest* leave(Clock::time_point now, Clock::duration took, std::size_t bytes);

  /// How long the decision of a review of so many bytes will take, by the last ones; as long as there was
  /// none, very long.
  [[nodiscard]] Clock::duration expected(std::size_t bytes) const;

  /// Those whose deadline is over: to be refused.
  [[nodiscard]] std::vector<Guest*> expired(Clock::time_point now);

  /// The first deadline of those that wait.
  [[nodiscard]] std::optional<Clock::time_point> next_deadline();

private:
  struct Waiting {
    Guest* guest;
    std::size_t bytes;
    Clock::time_point since;
  };
  using Queue = std::multimap<Clock::time_point, Waiting>; ///< by deadline

  Waiting take(Queue::iterator one, Clock::time_point now);

  const std::size_t limit_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::size_t inside_ = 0;
  Queue waiting_;
  std::size_t waiting_bytes_ = 0;
  double took_ = 0, bytes_ = 0;         ///< moving averages of the decisions: nanoseconds, and bytes
  std::atomic<double> per_byte_{1'000}; ///< nanoseconds
};

} // namespace fluxhook::server
