#pragma once

#include <vector>

#include "fluxhook/flux/plan.h"

namespace fluxhook::flux {

/// The replicatedJobs that form the instance, and the container in each (docs/settings.md, replicated-jobs
/// and container), the lead's first. What can't be told goes to `findings`, and the list then lacks it.
[[nodiscard]] std::vector<Member> select_members(const k8s::JobSet& jobset, const Settings& settings,
                                                 std::vector<Finding>& findings);

/// Warns of labels under the prefix that mean nothing: of misspelt ones, and of all where the JobSet does not
/// carry the one that selects; and, where it lacks that one, of the same key as an annotation or on a
/// template.
void check_labels(const k8s::JobSet& jobset, const Defaults& defaults, bool carries_label,
                  std::vector<Finding>& findings);

/// Reads the settings from the JobSet's annotations into `outcome`, with their origins; unknown and malformed
/// ones go to its findings. `defaults` stand behind them, and before those what an earlier injection
/// recorded.
void read_annotations(const k8s::JobSet& jobset, const Defaults& defaults, Outcome& outcome);

/// The same for the env variables of the lead's container, below the annotations.
void read_env(const Member& lead, Outcome& outcome);

} // namespace fluxhook::flux
