/// Module admission: an AdmissionReview's bytes in, an AdmissionReview's bytes out (admission.k8s.io/v1).
/// RapidJSON is used here and nowhere else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/flux/settings.h"

namespace fluxhook::admission {

/// Which of the two webhooks was called.
enum class Webhook : std::uint8_t { kMutate, kValidate };

/// What became of a review.
enum class Verdict : std::uint8_t { kAllowed, kPatched, kDenied };

/// "mutate", "validate"; "allowed", "patched", "denied": the labels of metrics and the words of the access
/// log.
[[nodiscard]] std::string_view to_string(Webhook webhook);
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// An answered review.
struct Answer {
  std::string body; ///< the AdmissionReview to send back, JSON
  Verdict verdict = Verdict::kAllowed;
  std::string uid;       ///< of the request
  std::string name;      ///< namespace/name of the object, for the log
  std::string operation; ///< CREATE, UPDATE …
};

/// Answers one review. `body` is parsed in place and is scratch afterwards: nothing is copied from it, and
/// the answer does not borrow from it. Deterministic: the same bytes give the same answer. Thread-safe.
/// Error: not JSON, not UTF-8, nested too deep, a duplicate key, or not a v1 AdmissionReview with a request
/// and a uid (HTTP 400); `where` names the byte ("byte 17") or the field. Whatever is wrong with the object
/// itself is a denial.
[[nodiscard]] Result<Answer> review(std::string& body, Webhook webhook, const flux::Defaults& defaults);

} // namespace fluxhook::admission
