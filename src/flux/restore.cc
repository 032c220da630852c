#include <algorithm>

#include "inject.h"
#include "paths.h"
#include "restore_job.h"

// A client that applies its manifest again sends the object as it was before the injection. What is put back
// here is what JobSet's own webhook would refuse to see changed: facts and the table of answers that were
// tried are in docs/architecture.md.

namespace fluxhook::flux {
namespace {

// Kueue's label on the JobSet, and the prefix of what it puts on pod templates (kubernetes-sigs/kueue,
// pkg/controller/constants).
constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kQueuePrefix = "kueue.x-k8s.io/";

bool has_queue_key(const std::optional<k8s::StringMap>& map) {
  return map && std::ranges::any_of(map->entries,
                                    [](const auto& one) { return one.first.starts_with(kQueuePrefix); });
}

void restore_metadata(const k8s::JobSet& now, const k8s::JobSet& old, PatchBuilder& patch) {
  const auto pointer = "/metadata/annotations/" + token(kInjectedAnnotation);
  const auto* before = old.annotations ? old.annotations->find(kInjectedAnnotation) : nullptr;
  if (before == nullptr) return;
  const auto* after = now.annotations ? now.annotations->find(kInjectedAnnotation) : nullptr;
  bool has_metadata = now.has_metadata;
  bool present = now.annotations.has_value();
  if (after == nullptr) {
    patch.ensure(has_metadata, "/metadata", EmptyObject{});
    patch.ensure(present, "/metadata/annotations", EmptyObject{});
    patch.add(pointer, FromOld{pointer}, reason::kOurs);
  } else if (*after != *before) {
    patch.replace(pointer, FromOld{pointer}, reason::kFixed);
  }
}

void restore_spec(const k8s::JobSet& now, const k8s::JobSet& old, PatchBuilder& patch) {
  bool has_spec = now.has_spec;
  const auto put = [&](bool dropped, const std::string& pointer, const Reason& why = reason::kJobSets) {
    if (!dropped) return;
    patch.ensure(has_spec, "/spec", EmptyObject{});
    patch.add(pointer, FromOld{pointer}, why);
  };
  const auto& network = now.network;
  if (old.network.present) {
    bool present = network.present;
    const bool hosts = !network.enable_dns_hostnames && old.network.enable_dns_hostnames;
    const bool addresses = !network.publish_not_ready_addresses && old.network.publish_not_ready_addresses;
    if (hosts || addresses) {
      patch.ensure(has_spec, "/spec", EmptyObject{});
      patch.ensure(present, "/spec/network", EmptyObject{});
    }
    put(hosts, "/spec/network/enableDNSHostnames");
    put(addresses, "/spec/network/publishNotReadyAddresses");
  }
  put(!now.has_startup_policy && old.default_startup_policy, "/spec/startupPolicy");
  put(!now.has_success_policy && old.default_success_policy, "/spec/successPolicy");
  // Kueue owns suspend where there is a queue: a manifest without it asks for nothing.
  const bool queued = !old.label(kQueueLabel).empty();
  put(queued && !now.suspend && old.suspend, "/spec/suspend", reason::kQueues);
}

bool admitted_by_queue(const k8s::JobSet& now, const k8s::JobSet& old, const k8s::ReplicatedJob& job) {
  const bool running = !old.suspend.value_or(false) && !now.suspend.value_or(false);
  const auto& metadata = job.job.pod.metadata;
  return running && (!old.label(kQueueLabel).empty() || has_queue_key(metadata.labels) ||
                     has_queue_key(metadata.annotations));
}

/// The container that was chosen at CREATE, if the replicatedJob is a member and still has it.
std::optional<ContainerPair> flux_container(const k8s::ReplicatedJob& job, const k8s::ReplicatedJob& old,
                                            const Outcome& outcome) {
  const auto member = std::ranges::find(outcome.members, &old, &Member::job);
  if (member == outcome.members.end()) return {};
  const auto& containers = job.job.pod.spec.containers;
  const auto container = std::ranges::find(containers, member->container->name, &k8s::Container::name);
  if (container == containers.end()) return {};
  return ContainerPair{static_cast<std::size_t>(container - containers.begin()), member->container_index};
}

} // namespace

void restore(const k8s::JobSet& jobset, const k8s::JobSet& old, Outcome& outcome) {
  PatchBuilder patch(outcome.changes);
  restore_metadata(jobset, old, patch);
  restore_spec(jobset, old, patch);
  for (std::size_t i = 0; i < jobset.replicated_jobs.size(); ++i) {
    const auto& job = jobset.replicated_jobs[i];
    const auto before = std::ranges::find(old.replicated_jobs, job.name, &k8s::ReplicatedJob::name);
    if (before == old.replicated_jobs.end() || !job.job.pod.spec.present || !before->job.pod.spec.present)
      continue;
    const JobPair pair{job, *before, i, static_cast<std::size_t>(before - old.replicated_jobs.begin())};
    restore_job(pair, admitted_by_queue(jobset, old, *before), flux_container(job, *before, outcome), patch);
  }
}

} // namespace fluxhook::flux
