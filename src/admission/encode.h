#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fluxhook/flux/plan.h"
#include "json.h"

namespace fluxhook::admission {

/// The changes as a JSON Patch (RFC 6902), `[]` when there are none. What a change copies is taken from
/// `object` (the incoming one) and `old` (null without one).
[[nodiscard]] std::string encode_patch(std::span<const flux::Change> changes, const Json& object,
                                       const Json* old);

/// What is answered to a request.
struct Response {
  std::string_view uid;
  std::string_view name; ///< of the object, for status.details
  std::span<const flux::Finding> findings;
  std::string patch; ///< JSON text; empty: none
};

/// The AdmissionReview v1 that carries it. With an error among the findings it is a denial with one cause a
/// finding.
[[nodiscard]] std::string encode_review(const Response& response);

} // namespace fluxhook::admission
