#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fluxhook/flux/plan.h"
#include "fluxhook/flux/settings.h"

namespace fluxhook::flux {

// JobSets as slices, made without JSON: a good one, of which each test changes what it is about.

/// `text`, kept to the end of the tests: slices borrow.
inline std::string_view kept(std::string text) {
  static std::set<std::string> texts;
  return *texts.insert(std::move(text)).first;
}

inline k8s::Container container(std::string_view name = "node") {
  k8s::Container made{.name = name, .image = "app:1.0"};
  made.command = {"app"};
  return made;
}

/// Two pods.
inline k8s::ReplicatedJob replicated_job(std::string_view name = "node",
                                         std::vector<k8s::Container> containers = {container()}) {
  k8s::ReplicatedJob made{.name = name};
  made.job.present = made.job.pod.present = made.job.pod.spec.present = true;
  made.job.parallelism = made.job.completions = 2;
  made.job.pod.spec.containers = std::move(containers);
  return made;
}

/// Labelled, and named js.
inline k8s::JobSet jobset(std::vector<k8s::ReplicatedJob> jobs = {replicated_job()}) {
  k8s::JobSet made{.name = "js", .name_space = "team-a"};
  made.labels.emplace().entries = {{kInjectLabel, "true"}};
  made.replicated_jobs = std::move(jobs);
  return made;
}

inline k8s::JobSpec& job_of(k8s::JobSet& jobset, std::size_t job = 0) {
  return jobset.replicated_jobs[job].job;
}
inline k8s::PodSpec& pod_of(k8s::JobSet& jobset, std::size_t job = 0) { return job_of(jobset, job).pod.spec; }
inline k8s::Container& container_of(k8s::JobSet& jobset, std::size_t job = 0, std::size_t index = 0) {
  return pod_of(jobset, job).containers[index];
}

inline void add_label(k8s::JobSet& jobset, std::string_view key, std::string_view value) {
  if (!jobset.labels) jobset.labels.emplace();
  jobset.labels->entries.emplace_back(key, value);
}

/// Adds the annotation flux-framework.org/<name>.
inline void annotate(k8s::JobSet& jobset, std::string_view name, std::string value) {
  if (!jobset.annotations) jobset.annotations.emplace();
  jobset.annotations->entries.emplace_back(kept(std::string(kPrefix).append(name)), kept(std::move(value)));
}

inline k8s::JobSet annotated(std::string_view name, std::string value) {
  auto made = jobset();
  annotate(made, name, std::move(value));
  return made;
}

inline void add_env(k8s::Container& container, k8s::EnvVar variable) {
  if (!container.env) container.env.emplace();
  container.env->push_back(variable);
}

/// What the mutating webhook decides; `jobset` has to outlive it.
inline Outcome created(const k8s::JobSet& jobset, const Defaults& defaults = {}) {
  return mutate({.uid = "7900a454-50e1-4425-8b5c-32eb42f44bb5", .object = &jobset}, defaults);
}
inline Outcome updated(const k8s::JobSet& now, const k8s::JobSet& old, const Defaults& defaults = {}) {
  return mutate({.operation = Operation::kUpdate, .object = &now, .old = &old}, defaults);
}

/// "FH001 field: message" of each finding.
inline std::vector<std::string> shown(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  lines.reserve(findings.size());
  for (const auto& finding : findings)
    lines.push_back(rule_id(finding.rule) + " " + finding.error.text());
  return lines;
}

/// The same for the creation of a JobSet.
inline std::vector<std::string> findings(const k8s::JobSet& jobset) {
  return shown(created(jobset).findings);
}

} // namespace fluxhook::flux
