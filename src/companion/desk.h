#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "companion/fresh.h"
#include "companion/ledger.h"
#include "companion/maker.h"
#include "fluxhook/companion/figures.h"

namespace fluxhook::companion {

/// What a controller counts, over all of its times as leader. Thread-safe.
class Counters {
public:
  void count(const Outcome& outcome);
  /// One that is no task's.
  void count(Fault fault);
  void latency(std::chrono::steady_clock::duration took);
  void watch_fault();
  void leader(bool is);
  [[nodiscard]] Figures figures() const;

private:
  mutable std::mutex mutex_;
  Figures figures_;
  std::array<std::uint64_t, kFaults> errors_{};
};

/// The ledger of one time as leader, between the watches that write it and the workers that wait for tasks.
class Desk {
public:
  using Now = std::function<Time()>;
  /// A worker looks at the clock at least every `longest_wait`. Nobody gets a task before both lists are
  /// in: what there is already would be made again.
  Desk(Now now, std::chrono::milliseconds longest_wait, Counters& counters)
      : now_(std::move(now)), longest_wait_(longest_wait), counters_(counters) {}

  /// `json`: the JobSet's, which goes with its next task.
  void jobset(const std::string& key, const std::string& uid, bool needed, std::string_view json);
  void jobset_gone(const std::string& key);
  void map(const std::string& key, MapFact fact);
  void map_gone(const std::string& key, const std::string& uid);
  void jobsets_listed();
  void maps_listed();

  /// The next task, as soon as one is due; none: stopped.
  [[nodiscard]] std::optional<Task> take(const std::stop_token& stop);
  /// What waits, if nobody takes it for now.
  [[nodiscard]] std::vector<Task> queued() const;
  void finish(const Task& task, const Ending& ending);
  [[nodiscard]] Time now() const { return now_(); }
  [[nodiscard]] std::size_t waiting() const;

private:
  Now now_;
  std::chrono::milliseconds longest_wait_;
  Counters& counters_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Ledger ledger_;
  Fresh fresh_;
  std::uint64_t version_ = 0; ///< of what a waiting worker has to look at
  bool jobsets_listed_ = false, maps_listed_ = false;
};

} // namespace fluxhook::companion
