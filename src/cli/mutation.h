#pragma once

#include <string>

#include "cli/subject.h"

namespace fluxhook::cli {

/// The server's answer to a review, and what its patch makes of the object.
struct Mutation {
  bool allowed = false;
  std::string patch = "[]"; ///< RFC 6902, JSON
  manifest::Node answer;    ///< the AdmissionReview that the server sends
  manifest::Node object;    ///< the object with the patch applied, when allowed
};

/// Sends a JobSet through the server's own code (admission::review), wrapped as an API server would. Error:
/// what the server could not read, with its place.
[[nodiscard]] Result<Mutation> mutate_subject(const Subject& subject, const std::string& file,
                                              const flux::Defaults& defaults);

/// The server's answer to an AdmissionReview document.
[[nodiscard]] Result<Mutation> mutate_review(const manifest::Node& review, const std::string& file,
                                             const flux::Defaults& defaults);

} // namespace fluxhook::cli
