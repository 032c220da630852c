#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fluxhook/k8s/field_error.h"

namespace fluxhook::flux {

/// What fluxhook checks. The number is part of the interface: it never changes and is never used again.
/// docs/rules.md has a page for each: what, why, a wrong example, a right one.
enum class Rule : std::uint16_t {
  kNumProcPerNode = 1,
  kUnknownSetting = 2,
  kMalformedSetting = 3,
  kNoReplicatedJob = 4,
  kAmbiguousReplicatedJob = 5,
  kNoContainer = 6,
  kAmbiguousContainer = 7,
  kReservedInitContainer = 8,
  kReservedVolume = 9,
  kReservedMountPath = 10,
  kReservedEnv = 11,
  kArgsWithoutCommand = 12,
  kNonIndexed = 13,
  kCompletionsDiffer = 14,
  kDnsHostnamesOff = 15,
  kHostName = 16,
  kObjectName = 17,
  kSubdomain = 18,
  kGpuShare = 19,
  kDnsPolicy = 20,
  kInjectOnUpdate = 21,
  kNotInjected = 22,
  kWrongType = 23,
  kNoPods = 24,
  kMalformedInjected = 25,
  kTooManyPods = 26,
  kNulCharacter = 27,
  kDependsOnMember = 28,
  // Warnings
  kRestartOnFailure = 101,
  kNotReadyAddresses = 102,
  kFloatingImage = 103,
  kSkippedDeleting = 104,
  kSkippedTrainer = 105,
  kLabelValue = 106,
  kSettingChanged = 107,
  kLabelledBefore = 108,
  kUnknownLabel = 109,
};

/// Findings of one object that are told, where it has more: an answer has its bounds.
inline constexpr std::size_t kMaxTold = 100;

/// An error denies; a warning is told beside the answer.
enum class Severity : std::uint8_t { kError, kWarning };

/// One row of the table of rules.
struct RuleInfo {
  Rule rule;
  Severity severity;
  std::string_view name;  ///< a word for machines: num-proc-per-node
  std::string_view title; ///< one line for people
};

/// All rules, by number.
[[nodiscard]] std::span<const RuleInfo> rules();
/// The row of a rule.
[[nodiscard]] const RuleInfo& info(Rule rule);
/// "FH001"
[[nodiscard]] std::string rule_id(Rule rule);

/// A rule that an object breaks, and where.
struct Finding {
  Rule rule;
  k8s::FieldError error;

  [[nodiscard]] Severity severity() const { return info(rule).severity; }
};

} // namespace fluxhook::flux
