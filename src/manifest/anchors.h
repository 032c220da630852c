#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

/// The anchors of one document. What they keep and hand out is limited (kMaxAliased), so that a few lines of
/// aliases to aliases can't stand for billions of values.
class Anchors {
public:
  /// A list or object with this anchor begins: until it is closed, an alias to it would contain itself.
  void open(std::string_view name);
  /// And ends, with that value, copied; an anchor that something inside has taken over stays with that.
  Result<void> close(std::string_view name, const Node& node);
  /// The anchor's value, copied.
  Result<void> set(std::string_view name, const Node& node);
  /// A copy of it. Error, without a place: no such anchor, an open one, or the limit.
  [[nodiscard]] Result<Node> get(std::string_view name);

private:
  struct Anchor {
    std::optional<Node> node;
    std::size_t weight = 0;
  };
  Result<void> spend(std::size_t weight);

  std::map<std::string, Anchor, std::less<>> anchors_;
  std::size_t spent_ = 0;
};

} // namespace fluxhook::manifest
