#pragma once

#include <optional>
#include <string>

#include "cli/subject.h"
#include "fluxhook/companion/objects.h"

namespace fluxhook::cli {

/// The objects that the controller creates for an injected JobSet, as documents.
struct Companions {
  manifest::Node config_map;
  std::optional<manifest::Node> secret;
  std::string missing; ///< why there is no Secret, with its name; empty when there is one
};

/// Renders them from a decision without errors. `uid` is the JobSet's, empty when it isn't known: then there
/// are no owner references and no keys. Error: a value that the pods' files can't hold.
[[nodiscard]] Result<Companions> make_companions(const Decision& decision, const std::string& uid,
                                                 const companion::CurveSource& source,
                                                 const flux::Defaults& defaults);

} // namespace fluxhook::cli
