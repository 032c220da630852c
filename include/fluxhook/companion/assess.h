#pragma once

#include <cstdint>
#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/companion/objects.h"
#include "fluxhook/k8s/jobset.h"

namespace fluxhook::companion {

/// Whether a JobSet's pods need companions, and if not, why.
enum class Need : std::uint8_t {
  kNeeded,
  kNotInjected, ///< no annotation `injected`: not ours, whoever else sets up Flux in it
  kSuspended,   ///< spec.suspend: it has no pods, and may wait in a queue for days
  kFinished,    ///< status.terminalState is set
  kDeleting,    ///< it has a deletionTimestamp
  kForeign,     ///< spec.managedBy names another controller: its pods run in another cluster (MultiKueue)
};

/// Looks at the JobSet as the API server has it. Pure.
[[nodiscard]] Need need_of(const k8s::JobSet& jobset);

/// Renders the companions of a JobSet that needs them, from its annotation `injected`. Error: the annotation
/// is malformed or forged: `where` is the field.
[[nodiscard]] Result<Companions> companions_of(const k8s::JobSet& jobset, const CurveSource& curve,
                                               const std::string& cluster_domain);

} // namespace fluxhook::companion
