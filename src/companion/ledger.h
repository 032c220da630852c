#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "companion/fault.h"

namespace fluxhook::companion {

using Time = std::chrono::steady_clock::time_point;

/// What a ConfigMap of our kind says about itself.
struct MapFact {
  std::string uid;    ///< its own; empty: there is none
  std::string jobset; ///< uid of the JobSet that it was made for; empty: it isn't one of fluxhook's

  bool operator==(const MapFact&) const = default;
};

/// What is known about a JobSet's Secret, which can't be read.
struct SecretState {
  std::optional<Time> refused; ///< since when its name is taken (409)
  bool settled = false;        ///< we made it, or have done what can be done about it
};

/// A JobSet whose turn it is.
struct Task {
  std::string name_space, name;
  std::string uid;
  MapFact map; ///< the ConfigMap of its name
  SecretState secret;
  unsigned tries = 0;          ///< that failed, one after another
  Fault fault = Fault::kNone;  ///< what the last one failed with
  bool secret_pending = false; ///< the ConfigMap is made, and the Secret tried on
  std::string jobset{};        ///< its JSON, as a watch has just told it; empty: it has to be read
};

/// How a task ended.
struct Ending {
  std::optional<std::chrono::milliseconds> again; ///< to be tried again after that time; none: done with
  bool not_needed = false;                        ///< the JobSet has turned out to need nothing
  Fault fault = Fault::kNone;
  MapFact map; ///< the ConfigMap that is there now, as far as it is known
  SecretState secret;
  bool secret_pending = false;
};

/// Which JobSets need companions and which have them: a state machine of what the watches tell and what
/// became of the tasks. It keeps names and uids, no object: some 300 bytes a JobSet. Not thread-safe; the
/// clock is the caller's.
class Ledger {
public:
  /// A JobSet is there, or has changed. What is known of this uid stays, its back-off among it,
  /// unless it was the JobSet itself that was wrong.
  void jobset(const std::string& key, const std::string& uid, bool needed, Time now);
  void jobset_gone(const std::string& key);
  /// The ConfigMap of a JobSet's name is there, or has changed.
  void map(const std::string& key, MapFact fact);
  /// It is gone: made again where it is needed. `uid`: its own.
  void map_gone(const std::string& key, const std::string& uid, Time now);

  /// The task that is due first, if any is. It is its taker's until finish().
  [[nodiscard]] std::optional<Task> take(Time now);
  /// Those that wait to be taken, the first one due in front.
  [[nodiscard]] std::vector<Task> queued() const;
  /// When the next one is due; none: nothing waits.
  [[nodiscard]] std::optional<Time> next_due() const;
  /// A task has ended. Returns how long it took from when the JobSet first needed companions, when it has
  /// them now for the first time.
  std::optional<std::chrono::steady_clock::duration> finish(const Task& task, const Ending& ending, Time now);

  /// Whether a task of the JobSet waits to be taken.
  [[nodiscard]] bool is_waiting(const std::string& key) const;
  [[nodiscard]] std::size_t waiting() const { return queue_.size() + busy_.size(); }

private:
  enum class State : std::uint8_t { kIdle, kWaiting, kBusy, kDone };
  struct Entry {
    std::string uid; ///< of the JobSet that needs companions; empty: none does
    MapFact map;
    SecretState secret;
    Time due, since;
    std::uint16_t tries = 0;
    Fault fault = Fault::kNone;
    State state = State::kIdle;
    bool secret_pending = false;
    bool was_done = false;
  };
  using Entries = std::unordered_map<std::string, Entry>;

  [[nodiscard]] static Task task_of(const Entries::value_type& slot);
  void enqueue(Entries::value_type& slot, Time due);
  void dequeue(Entries::value_type& slot);
  void forget_if_empty(const std::string& key);
  void settle(Entries::value_type& slot, const Ending& ending, Time now);
  [[nodiscard]] static bool has_map(const Entry& entry) {
    return !entry.uid.empty() && entry.map.jobset == entry.uid;
  }

  struct ByDue {
    using Slot = const Entries::value_type*;
    bool operator()(Slot a, Slot b) const {
      return a->second.due != b->second.due ? a->second.due < b->second.due : a->first < b->first;
    }
  };
  Entries entries_; ///< by "namespace/name" of the JobSet; references to them stay good
  std::set<Entries::value_type*, ByDue> queue_;
  /// What has happened to a taken task's JobSet meanwhile: the task doesn't know.
  struct Meanwhile {
    bool changed = false;               ///< needed again, or no longer, or another uid
    std::vector<std::string> maps_gone; ///< uids of ConfigMaps
  };
  std::unordered_map<std::string, Meanwhile> busy_;
};

} // namespace fluxhook::companion
