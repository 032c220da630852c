#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "checks.h"
#include "paths.h"

namespace fluxhook::flux {
namespace {

/// Which member each replicatedJob waits for to be complete, by itself or by what it depends on.
class Order {
public:
  explicit Order(const Outcome& outcome) {
    for (const auto& member : outcome.members)
      members_.insert(member.job->name);
  }

  /// The member that has to be complete before `dependency` is fulfilled; "" if there is none. JobSet takes
  /// dependencies on earlier replicatedJobs only (its validating webhook), so those are known by now.
  [[nodiscard]] std::string_view awaited(const k8s::Dependency& dependency) const {
    if (dependency.status == "Complete" && members_.contains(dependency.name)) return dependency.name;
    const auto earlier = awaited_.find(dependency.name);
    return earlier == awaited_.end() ? std::string_view() : earlier->second;
  }

  [[nodiscard]] bool is_member(std::string_view job) const { return members_.contains(job); }

  void add(std::string_view job, std::string_view awaited) { awaited_.emplace(job, awaited); }

private:
  std::unordered_set<std::string_view> members_;
  std::unordered_map<std::string_view, std::string_view> awaited_; ///< by the replicatedJob that waits
};

void note(std::size_t job, std::size_t index, const k8s::Dependency& dependency, std::string_view awaited,
          Outcome& outcome) {
  const bool itself = awaited == dependency.name;
  const auto at = item(replicated_job_field(job) + ".dependsOn", index) + (itself ? ".status" : ".name");
  outcome.findings.push_back(
      {Rule::kDependsOnMember,
       k8s::invalid(at, itself ? dependency.status : dependency.name,
                    "must not wait until " + std::string(awaited) +
                        " is complete: all brokers of a Flux instance run at the same time")});
}

} // namespace

void check_order(const k8s::JobSet& jobset, Outcome& outcome) {
  const auto depends = [](const k8s::ReplicatedJob& job) { return !job.depends_on.empty(); };
  if (std::ranges::none_of(jobset.replicated_jobs, depends)) return;
  Order order(outcome);
  for (std::size_t i = 0; i < jobset.replicated_jobs.size(); ++i) {
    const auto& job = jobset.replicated_jobs[i];
    for (std::size_t d = 0; d < job.depends_on.size(); ++d) {
      const auto& dependency = job.depends_on[d];
      const auto awaited = order.awaited(dependency);
      if (awaited.empty()) continue;
      if (order.is_member(job.name)) note(i, d, dependency, awaited, outcome);
      order.add(job.name, awaited);
    }
  }
}

} // namespace fluxhook::flux
