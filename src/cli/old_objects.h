#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::cli {

/// The JobSets as they are in the cluster, from a file: what an UPDATE has as oldObject.
class OldObjects {
public:
  /// Error: what can't be read, or no JobSet in it.
  [[nodiscard]] Result<void> read(const std::string& file, std::istream& standard_input);

  /// The one with the same name, and the same namespace where both have one; nullptr when there is none.
  [[nodiscard]] const manifest::Node* find(const manifest::Node& jobset) const;

private:
  std::vector<manifest::Node> jobsets_;
};

} // namespace fluxhook::cli
