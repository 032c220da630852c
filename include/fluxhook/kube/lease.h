#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "fluxhook/kube/client.h"
#include "fluxhook/kube/error.h"

namespace fluxhook::kube {

/// What a Lease (coordination.k8s.io/v1) says.
struct LeaseRecord {
  std::string holder; ///< "": nobody; it was released
  std::chrono::seconds duration{0};
  std::string acquire_time, renew_time; ///< MicroTime
  std::int64_t transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

/// A record, and when it was first seen as it is. Others' clocks don't count: a lease is over when its record
/// has not changed for its duration on our own clock (client-go tools/leaderelection).
struct SeenLease {
  LeaseRecord record;
  std::chrono::steady_clock::time_point since;
};

/// What a candidate does next.
enum class LeaseStep : std::uint8_t {
  kCreate, ///< there is none
  kTake,   ///< it was released or is over
  kRenew,  ///< it is ours
  kWait,   ///< it is somebody else's
};

/// What `identity` does about a lease now. Pure.
[[nodiscard]] LeaseStep decide(const std::optional<SeenLease>& seen, const std::string& identity,
                               std::chrono::steady_clock::time_point now);

/// Which Lease, who we are, and the times, which all candidates should have alike.
struct ElectionOptions {
  std::string name_space, name; ///< of the Lease
  std::string identity;         ///< unique among the candidates: a pod's name
  std::chrono::seconds lease_duration{15};
  std::chrono::seconds renew_deadline{
      10}; ///< without a renewal for so long, leading is over; < lease_duration
  std::chrono::seconds retry_period{2};
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  std::function<std::chrono::system_clock::time_point()> time = std::chrono::system_clock::now;
};

/// Called from elect()'s own thread; they have to return soon.
struct ElectionHandler {
  std::function<void()> started; ///< this process leads from now on
  std::function<void()> stopped; ///< it doesn't any more; when it returns, the lease is released
  /// The lease could not be read or written; it is tried again.
  std::function<void(const ApiError&)> trouble = [](const ApiError&) {};
};

/// Takes part in a leader election until it is stopped, and then releases the lease if it has it. Lost
/// leadership is sought again. `client` is for this alone: its requests are ended when the renewal would come
/// too late.
void elect(Client& client, const ElectionOptions& options, const ElectionHandler& handler,
           const std::stop_token& stop);

} // namespace fluxhook::kube
