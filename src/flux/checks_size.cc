#include <algorithm>
#include <limits>

#include "checks.h"
#include "fluxhook/flux/setting_table.h"

namespace fluxhook::flux {
namespace {

/// Stays at the largest number where the product or sum would be larger.
std::int64_t add_product(std::int64_t sum, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum);
  return overflow ? std::numeric_limits<std::int64_t>::max() : sum;
}

void check_pods(std::int64_t pods, std::int64_t jobs, Outcome& outcome) {
  if (pods <= kMaxPods && jobs <= kMaxJobs) return;
  outcome.findings.push_back(
      {Rule::kTooManyPods,
       k8s::invalid("spec.replicatedJobs", pods > kMaxPods ? pods : jobs,
                    pods > kMaxPods ? "must have no more than 100000 pods in a Flux instance"
                                    : "must have no more than 4000 Jobs in a Flux instance")});
}

// `flux run -n` takes an int, and R numbers the cores of a pod.
void check_tasks(std::int64_t pods, Outcome& outcome) {
  constexpr std::int64_t kMaxTasks = std::numeric_limits<std::int32_t>::max();
  const std::int64_t tasks = outcome.settings.num_proc_per_node;
  const std::int64_t cores = outcome.settings.cores_per_task.value_or(1);
  const auto most = [](std::int64_t number) { return ": must be no more than " + std::to_string(number); };
  if (tasks * cores > kMaxCores) {
    const bool by_tasks = tasks > kMaxCores;
    const auto made = "makes " + std::to_string(tasks * cores) + " cores in a pod" + most(kMaxCores);
    outcome.findings.push_back(
        {by_tasks ? Rule::kNumProcPerNode : Rule::kMalformedSetting,
         k8s::invalid(annotation_field(by_tasks ? "num-proc-per-node" : "cores-per-task"),
                      std::to_string(by_tasks ? tasks : cores), made)});
  } else if (pods <= kMaxPods && pods * tasks > kMaxTasks) {
    outcome.findings.push_back(
        {Rule::kNumProcPerNode, k8s::invalid(annotation_field("num-proc-per-node"), std::to_string(tasks),
                                             "makes " + std::to_string(pods * tasks) + " tasks in " +
                                                 std::to_string(pods) + " pods" + most(kMaxTasks))});
  }
}

} // namespace

void check_size(Outcome& outcome) {
  std::int64_t pods = 0;
  std::int64_t jobs = 0;
  for (const auto& member : outcome.members) {
    const auto replicas = std::max<std::int64_t>(member.job->replicas, 0);
    jobs = add_product(jobs, replicas, 1);
    pods = add_product(pods, replicas, std::max<std::int64_t>(member.job->pods(), 0));
  }
  check_pods(pods, jobs, outcome);
  check_tasks(pods, outcome);
}

} // namespace fluxhook::flux
