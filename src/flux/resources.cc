#include "fluxhook/flux/resources.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "fluxhook/base/quantity.h"
#include "fluxhook/base/shell_words.h"
#include "fluxhook/base/text.h"
#include "paths.h"

namespace fluxhook::flux {

namespace {

using k8s::FieldError;

std::string limits_field(const Member& member) {
  return container_field(member.job_index, member.container_index) + ".resources.limits";
}

std::string limit_field(const Member& member, std::string_view resource) {
  return limits_field(member).append("[").append(resource).append("]");
}

/// Reads limits, and collects what is wrong with them and with how tasks would share them.
class Calculator {
public:
  Calculator(std::span<const Member> members, const Settings& settings, std::vector<FieldError>& faults)
      : members_(members), settings_(settings), tasks_(settings.num_proc_per_node), faults_(faults) {}

  Resources compute(std::string_view jobset_name) {
    std::vector<std::int64_t> cores; // by member; 0: no limit
    for (const Member& member : members_)
      cores.push_back(whole_cores(member));
    result_.cores_per_task = cores_per_task(cores);
    for (std::size_t i = 0; i < members_.size(); ++i)
      add_groups(jobset_name, members_[i], std::max(cores[i], tasks_ * result_.cores_per_task),
                 shared_gpus(members_[i], i == 0));
    result_.tasks = result_.nodes * tasks_;
    return std::move(result_);
  }

private:
  std::optional<Quantity> quantity(const Member& member, const k8s::ResourceLimit& limit) {
    auto read = parse_quantity(limit.quantity);
    const bool right = read && read->milli >= 0;
    if (right && read->whole() <= kMaxCores) return *read;
    faults_.push_back(k8s::type_invalid(limit_field(member, limit.resource), limit.quantity,
                                        right ? "must be no more than " + std::to_string(kMaxCores) +
                                                    ": Flux numbers them one by one"
                                              : "must be a quantity of 0 or more, such as 2, 500m or 1e3"));
    return std::nullopt;
  }

  /// Of the CPU limit: 500m and 1500m are one core; 0 when there is no limit, or 0, which is none to a node.
  std::int64_t whole_cores(const Member& member) {
    for (const auto& limit : member.container->limits) {
      if (limit.resource != "cpu") continue;
      const Quantity cpu = quantity(member, limit).value_or(Quantity{});
      return cpu.milli == 0 ? 0 : std::max<std::int64_t>(cpu.whole(), 1);
    }
    return 0;
  }

  /// A pod without a limit has as many as its tasks need, so it doesn't count.
  [[nodiscard]] std::int64_t cores_per_task(const std::vector<std::int64_t>& cores) const {
    if (settings_.cores_per_task) return *settings_.cores_per_task;
    std::int64_t smallest = 0;
    for (std::int64_t pod : cores) {
      if (pod > 0) smallest = smallest == 0 ? pod : std::min(smallest, pod);
    }
    return std::max<std::int64_t>(smallest / tasks_, 1);
  }

  struct Gpus {
    std::int64_t count = 0;
    std::vector<std::string_view> kinds; ///< the resources of the limits that were added up
  };

  /// The sum over all kinds: nvidia.com/gpu, amd.com/gpu.
  Gpus gpus(const Member& member) {
    Gpus sum;
    for (const auto& limit : member.container->limits) {
      if (!limit.resource.ends_with(".com/gpu")) continue;
      sum.kinds.push_back(limit.resource);
      const auto amount = quantity(member, limit);
      if (amount && amount->milli % 1000 != 0)
        faults_.push_back(
            k8s::invalid(limit_field(member, limit.resource), limit.quantity, "must be an integer"));
      else if (amount) sum.count += amount->whole();
    }
    return sum;
  }

  // Of the only limit, or of all limits.
  static std::string gpus_field(const Member& member, const Gpus& gpus) {
    return gpus.kinds.size() == 1 ? limit_field(member, gpus.kinds.front()) : limits_field(member);
  }

  /// GPUs of a pod, after a look at how its tasks share them.
  std::int64_t shared_gpus(const Member& member, bool first) {
    const Gpus pod = gpus(member);
    if (first) result_.gpus_per_task = pod.count / tasks_;
    if (settings_.interactive) // tasks are the user's affair
      return pod.count;
    const std::int64_t wanted = result_.gpus_per_task * tasks_;
    if (pod.count % tasks_ != 0)
      faults_.push_back(k8s::invalid(gpus_field(member, pod), pod.count,
                                     "must be a multiple of num-proc-per-node (" + std::to_string(tasks_) +
                                         "): every task gets the same number of GPUs"));
    else if (pod.count != wanted)
      faults_.push_back(k8s::invalid(gpus_field(member, pod), pod.count,
                                     "must be " + std::to_string(wanted) + " as in " +
                                         replicated_job_field(members_.front().job_index) +
                                         ": every task gets the same number of GPUs"));
    return pod.count;
  }

  void add_groups(std::string_view jobset_name, const Member& member, std::int64_t cores, std::int64_t gpus) {
    const k8s::ReplicatedJob& job = *member.job;
    const auto prefix = std::string(jobset_name) + "-" + std::string(job.name) + "-";
    for (std::int64_t replica = 0; replica < job.replicas; ++replica)
      result_.groups.push_back({.prefix = prefix + std::to_string(replica) + "-",
                                .count = job.pods(),
                                .cores = cores,
                                .gpus = gpus});
    result_.nodes += job.replicas * job.pods();
  }

  std::span<const Member> members_;
  const Settings& settings_;
  std::int64_t tasks_; ///< of each pod
  std::vector<FieldError>& faults_;
  Resources result_;
};

} // namespace

std::string Resources::lead() const { return groups.empty() ? std::string() : groups.front().prefix + "0"; }

std::vector<std::string> Resources::run_words() const {
  std::vector<std::string> words{"-N" + std::to_string(nodes), "-n" + std::to_string(tasks)};
  if (cores_per_task > 1) words.push_back("-c" + std::to_string(cores_per_task));
  if (gpus_per_task > 0) words.push_back("-g" + std::to_string(gpus_per_task));
  if (gpus_per_task > 0 && tasks > nodes) // by itself Flux shows every task all that the job has of its node
    words.insert(words.end(), {"-o", "gpu-affinity=per-task"});
  return words;
}

Resources compute_resources(std::string_view jobset_name, std::span<const Member> members,
                            const Settings& settings, std::vector<k8s::FieldError>& faults) {
  return Calculator(members, settings, faults).compute(jobset_name);
}

Result<std::vector<std::string>> flux_run_words(const Resources& resources, const Settings& settings) {
  auto words = resources.run_words();
  const auto options = split_shell_words(settings.run_options);
  if (!options) return std::unexpected(options.error());
  words.insert(words.end(), options->begin(), options->end());
  return words;
}

} // namespace fluxhook::flux
