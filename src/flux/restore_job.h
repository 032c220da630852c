#pragma once

#include <cstddef>
#include <optional>

#include "patch_builder.h"

namespace fluxhook::flux {

/// The same replicatedJob in both objects.
struct JobPair {
  const k8s::ReplicatedJob& job;
  const k8s::ReplicatedJob& old;
  std::size_t index; ///< in the incoming object
  std::size_t old_index;
};

/// The container that runs Flux, in both objects.
struct ContainerPair {
  std::size_t index; ///< in the incoming object
  std::size_t old_index;
};

/// Puts back what the incoming object dropped of one replicatedJob's template: what JobSet set at CREATE;
/// what a queue's admission added, when `admitted`; and our own items, when it is a member of the instance
/// and has the `container`.
void restore_job(const JobPair& pair, bool admitted, const std::optional<ContainerPair>& container,
                 PatchBuilder& patch);

} // namespace fluxhook::flux
