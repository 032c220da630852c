#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fluxhook::cli {

enum class Health : std::uint8_t {
  kOk,
  kSkip, ///< it could not be looked at, by lack of rights or because something else is missing
  kWarn, ///< it works, but not as it should
  kFail,
};

/// What one check of `fluxhook doctor` has found.
struct Finding {
  Health health = Health::kOk;
  std::string check;   ///< one word
  std::string message; ///< what is the case
  std::string advice;  ///< what to do; empty: nothing
};

using Findings = std::vector<Finding>;

/// Whether any check has failed.
[[nodiscard]] bool has_failed(const Findings& findings);

/// A line for each, and one below it for an advice.
[[nodiscard]] std::string findings_text(const Findings& findings);
/// {"healthy": …, "checks": [{"check", "result", "message", "advice"?}, …]}
[[nodiscard]] std::string findings_json(const Findings& findings);

} // namespace fluxhook::cli
