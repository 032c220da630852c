#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/flux/settings.h"
#include "fluxhook/k8s/jobset.h"

namespace fluxhook::flux {

/// Cores of a pod, and GPUs of a kind: far more than a node has, and as many as Flux can keep sets of.
inline constexpr std::int64_t kMaxCores = 1'000'000;

/// The pods of one Job of the instance: one replica of one replicatedJob. Ranks go through the groups in
/// order.
struct NodeGroup {
  std::string prefix;     ///< host names are prefix + index: "js-node-0-"
  std::int64_t count = 1; ///< pods, indices 0 … count-1
  std::int64_t cores = 1; ///< that R gives each of them
  std::int64_t gpus = 0;  ///< likewise
};

/// What the instance consists of and what its one job asks for: the only place where this is computed.
struct Resources {
  std::vector<NodeGroup> groups;
  std::int64_t nodes = 0;
  std::int64_t tasks = 0;          ///< nodes × num-proc-per-node
  std::int64_t cores_per_task = 1; ///< `-c`, given when above 1
  std::int64_t gpus_per_task = 0;  ///< `-g`, given when above 0

  /// The lead broker's host name.
  [[nodiscard]] std::string lead() const;
  /// -N…, -n…, -c…, -g…, and a GPU for its task alone: the words for `flux run`, without the user's own.
  [[nodiscard]] std::vector<std::string> run_words() const;
};

/// One chosen replicatedJob and its container.
struct Member {
  const k8s::ReplicatedJob* job = nullptr;
  const k8s::Container* container = nullptr;
  std::size_t job_index = 0;       ///< in spec.replicatedJobs
  std::size_t container_index = 0; ///< in the pod template's containers
};

/// Computes what `members` (the lead's first) have and what the job asks for. `jobset_name` is the final
/// name, also with generateName. num_proc_per_node, replicas and pods are ≥ 1 and within what the rules
/// allow.
///
/// Cores of a pod in R: the CPU limit's whole cores (500m: 1; 1500m: 1; none, or 0: as many as tasks need),
/// at least num_proc_per_node × cores_per_task. Cores per task: the setting, else what the smallest pod with
/// a limit has for each of its tasks, at least 1.
///
/// GPUs of a pod: the sum of its `*.com/gpu` limits. All pods must give each task the same whole number,
/// unless the instance is interactive; else `faults` gets one with the field path of the limit. A limit that
/// is no quantity, which the API server will refuse as well, or is beyond kMaxCores, is a fault of type
/// kTypeInvalid and reads as absent.
[[nodiscard]] Resources compute_resources(std::string_view jobset_name, std::span<const Member> members,
                                          const Settings& settings, std::vector<k8s::FieldError>& faults);

/// All words between `flux run` and the command: those of the resources, then the user's run-options. What
/// job.sh runs and `explain` prints. An error: run-options are no words, which no setting is.
[[nodiscard]] Result<std::vector<std::string>> flux_run_words(const Resources& resources,
                                                              const Settings& settings);

} // namespace fluxhook::flux
