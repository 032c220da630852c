#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/commands.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::cli {

/// A recorded AdmissionReview, ready to send.
struct Recorded {
  std::string file;
  manifest::Position at;
  std::string uid;      ///< of the request
  std::string body;     ///< JSON
  std::string expected; ///< the AdmissionReview that is to come back, JSON; empty: any good answer will do
};

/// The reviews of all PATHs, in order. With `expect`, a folder, each has its answer from there: the file of
/// the same name holds as many answers as the recorded one has reviews; below a folder that is a PATH,
/// the name is the path below it. None, and told, when anything can't be read, is no review, or has no
/// answer: a part of the reviews would look like all of them.
[[nodiscard]] std::optional<std::vector<Recorded>> read_reviews(const std::vector<std::string>& paths,
                                                                const std::string& expect, Context& context);

} // namespace fluxhook::cli
