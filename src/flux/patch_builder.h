#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fluxhook/flux/plan.h"
#include "reasons.h"

namespace fluxhook::flux {

/// Collects changes, so that each has a parent by the time it is applied.
class PatchBuilder {
public:
  explicit PatchBuilder(std::vector<Change>& changes) : changes_(changes) {}

  void add(std::string pointer, Value value, const Reason& why) {
    changes_.push_back({std::move(pointer), std::move(value), false, &why});
  }

  void replace(std::string pointer, Value value, const Reason& why) {
    changes_.push_back({std::move(pointer), std::move(value), true, &why});
  }

  /// Replaces what is `present`, or else adds it: a replace needs something to replace (RFC 6902,
  /// section 4.3).
  void set(bool present, std::string pointer, Value value, const Reason& why) {
    changes_.push_back({std::move(pointer), std::move(value), present, &why});
  }

  /// Adds an empty parent at `pointer` unless it is `present`, which then becomes true.
  void ensure(bool& present, const std::string& pointer, Value empty) {
    if (std::exchange(present, true)) return;
    add(pointer, std::move(empty), reason::kParent);
  }

private:
  std::vector<Change>& changes_;
};

} // namespace fluxhook::flux
