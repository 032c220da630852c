#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fluxhook/flux/resources.h"

namespace fluxhook::flux {

/// One replicatedJob of one container for tests.
struct Job {
  std::string_view name = "node";
  std::int64_t replicas = 1;
  std::int64_t pods = 1;
  std::vector<k8s::ResourceLimit> limits;
};

/// The members of an instance, with what they point to.
class TestInstance {
public:
  explicit TestInstance(const std::vector<Job>& jobs) {
    jobs_.resize(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      k8s::Container container{.name = "node"};
      container.command = {"/bin/true"};
      container.limits = jobs[i].limits;
      jobs_[i].name = jobs[i].name;
      jobs_[i].replicas = jobs[i].replicas;
      jobs_[i].job.parallelism = jobs[i].pods;
      jobs_[i].job.pod.spec.containers.push_back(std::move(container));
    }
  }

  k8s::PodSpec& pod(std::size_t job) { return jobs_[job].job.pod.spec; }
  k8s::Container& container(std::size_t job) { return pod(job).containers.front(); }

  [[nodiscard]] std::vector<Member> members() const {
    std::vector<Member> all;
    all.reserve(jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      all.push_back(
          {.job = &jobs_[i], .container = &jobs_[i].job.pod.spec.containers.front(), .job_index = i});
    return all;
  }

private:
  std::vector<k8s::ReplicatedJob> jobs_;
};

} // namespace fluxhook::flux
