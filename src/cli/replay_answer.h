#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/replay_reviews.h"

namespace fluxhook::cli {

/// A place where an answer is not what it is to be. Both values are JSON, or words when there is none.
struct Difference {
  std::string path; ///< a JSON pointer (RFC 6901) into the answer, its patch decoded; "": the whole of it
  std::string expected, got;
};

enum class Admitted : std::uint8_t { kAllowed, kPatched, kDenied, kNoAnswer };

struct Checked {
  Admitted admitted = Admitted::kNoAnswer;
  std::vector<Difference> differences; ///< none: a good answer
};

/// Judges what came back for a review: an AdmissionReview as an API server takes it (k8s.io/apiserver,
/// pkg/admission/plugin/webhook/request: VerifyAdmissionResponse), and the expected one if there is one.
/// Compared are JSON values, the patch decoded.
[[nodiscard]] Checked check_answer(const Recorded& review, std::string_view answer);

} // namespace fluxhook::cli
