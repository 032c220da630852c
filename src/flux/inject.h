#pragma once

#include "fluxhook/flux/plan.h"

namespace fluxhook::flux {

/// CREATE: fills `outcome.changes` with what the JobSet lacks; the rest of `outcome` is
/// there, without errors.
void inject(const k8s::JobSet& jobset, Outcome& outcome);

/// UPDATE: fills `outcome.changes` with what `jobset` dropped of `old`, which was injected.
void restore(const k8s::JobSet& jobset, const k8s::JobSet& old, Outcome& outcome);

} // namespace fluxhook::flux
