#pragma once

#include <cstdint>

#include "fluxhook/flux/plan.h"

namespace fluxhook::flux {

/// Pods and Jobs of one instance: what its host list, R and the ConfigMap that holds them (1 MiB) can take.
inline constexpr std::int64_t kMaxPods = 100'000;
inline constexpr std::int64_t kMaxJobs = 4'000;

/// Checks how many pods, Jobs and tasks there are, and the cores that the settings ask of a pod.
void check_size(Outcome& outcome);

/// Checks that no member is created only when another one is complete.
void check_order(const k8s::JobSet& jobset, Outcome& outcome);

/// Checks the JobSet and the instance's members against every rule but that of GPUs, which
/// compute_resources() does; check_size() and check_order() are part of it.
/// `outcome` has the settings, name and members.
void check_instance(const k8s::JobSet& jobset, Outcome& outcome);

} // namespace fluxhook::flux
