#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "companion/ledger.h"

namespace fluxhook::companion {

/// What a watch has just told of JobSets whose task waits: such a task needs no GET. Bounded in time, as a
/// watch may have broken since, and in bytes; what it doesn't have is read. Not thread-safe.
class Fresh {
public:
  static constexpr std::chrono::seconds kFor{5};
  static constexpr std::size_t kMost = 4U << 20U; ///< bytes: some thousand JobSets that come at once

  /// What a watch told of a JobSet, in place of what it told before.
  void put(const std::string& key, std::string_view json, Time now);
  void drop(const std::string& key);
  /// Hands it out once; empty: it isn't there or is too old.
  [[nodiscard]] std::string take(const std::string& key, Time now);

private:
  struct Told {
    std::string json;
    Time at;
  };
  std::unordered_map<std::string, Told> told_;
  std::size_t bytes_ = 0;
};

} // namespace fluxhook::companion
