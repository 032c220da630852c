#include "restore_job.h"

#include <algorithm>

#include "fluxhook/flux/names.h"
#include "paths.h"

namespace fluxhook::flux {
namespace {

/// Puts back the fields of one replicatedJob.
class JobRestore {
public:
  JobRestore(const JobPair& pair, PatchBuilder& patch)
      : pair_(pair), patch_(patch), at_("/spec/replicatedJobs/" + std::to_string(pair.index) + "/template"),
        from_("/spec/replicatedJobs/" + std::to_string(pair.old_index) + "/template") {}

  /// Whatever CREATE sets where the manifest has nothing. First of all: indices are those of the incoming
  /// lists.
  void defaults() {
    const auto& job = pair_.job.job;
    const auto& old = pair_.old.job;
    metadata("/metadata", pair_.job.metadata, pair_.old.metadata);
    metadata("/spec/template/metadata", job.pod.metadata, old.pod.metadata);
    scalar(job.completion_mode.empty() && !old.completion_mode.empty(), "/spec/completionMode",
           reason::kJobSets);
    scalar(job.pod.spec.restart_policy.empty() && !old.pod.spec.restart_policy.empty(),
           "/spec/template/spec/restartPolicy", reason::kJobSets);
    resources("/spec/template/spec/containers/", job.pod.spec.containers, old.pod.spec.containers);
    if (job.pod.spec.init_containers && old.pod.spec.init_containers)
      resources("/spec/template/spec/initContainers/", *job.pod.spec.init_containers,
                *old.pod.spec.init_containers);
  }

  /// Our own items in a member of the instance; `container` and `old_container` are indices.
  void injection(std::size_t container, std::size_t old_container) {
    const auto& job = pair_.job.job;
    const auto& old = pair_.old.job;
    scalar(!job.completions && old.completions && job.parallelism == old.completions, "/spec/completions",
           reason::kOurs);
    scalar(!job.parallelism && old.parallelism && job.completions == old.parallelism, "/spec/parallelism",
           reason::kOurs);
    scalar(!job.backoff_limit && old.backoff_limit, "/spec/backoffLimit", reason::kOurs);
    scalar(!job.has_success_policy && old.has_success_policy, "/spec/successPolicy", reason::kOurs);
    scalar(job.pod.spec.dns_policy.empty() && !old.pod.spec.dns_policy.empty(),
           "/spec/template/spec/dnsPolicy", reason::kOurs);
    affinity();
    items<k8s::Container>("/spec/template/spec/initContainers", job.pod.spec.init_containers,
                          old.pod.spec.init_containers,
                          [](const auto& one) { return one.name == kInstaller; });
    items<k8s::Volume>("/spec/template/spec/volumes", job.pod.spec.volumes, old.pod.spec.volumes,
                       [](const auto& one) { return is_our_volume(one.name); });
    container_items(container, old_container);
  }

  /// What a queue's admission added to the pod template (Kueue, pkg/podset).
  void admission() {
    const auto& pod = pair_.job.job.pod;
    const auto& old = pair_.old.job.pod;
    map_keys("/spec/template/spec/nodeSelector", pod.spec.node_selector, old.spec.node_selector,
             reason::kQueues);
    bool has_metadata = pod.metadata.present || is_empty(old.metadata);
    patch_.ensure(has_metadata, at_ + "/spec/template/metadata", EmptyObject{});
    map_keys("/spec/template/metadata/labels", pod.metadata.labels, old.metadata.labels, reason::kQueues);
    map_keys("/spec/template/metadata/annotations", pod.metadata.annotations, old.metadata.annotations,
             reason::kQueues);
    items<k8s::Toleration>(
        "/spec/template/spec/tolerations", pod.spec.tolerations, old.spec.tolerations,
        [](const auto&) { return true; }, reason::kQueues);
    items<std::string_view>(
        "/spec/template/spec/schedulingGates", pod.spec.scheduling_gates, old.spec.scheduling_gates,
        [](const auto&) { return true; }, reason::kQueues);
  }

private:
  static bool is_empty(const k8s::TemplateMetadata& metadata) {
    return !metadata.labels && !metadata.annotations;
  }

  // JobSet's typed round trip leaves an empty object where a container has no resources.
  void resources(const std::string& list, const std::vector<k8s::Container>& now,
                 const std::vector<k8s::Container>& old) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto before = std::ranges::find(old, now[i].name, &k8s::Container::name);
      if (before == old.end() || now[i].has_resources || !before->has_empty_resources) continue;
      const auto index = static_cast<std::size_t>(before - old.begin());
      patch_.add(at_ + list + std::to_string(i) + "/resources",
                 FromOld{from_ + list + std::to_string(index) + "/resources"}, reason::kJobSets);
    }
  }

  void scalar(bool dropped, std::string_view path, const Reason& why) {
    if (dropped) patch_.add(at_ + std::string(path), FromOld{from_ + std::string(path)}, why);
  }

  void metadata(std::string_view path, const k8s::TemplateMetadata& now, const k8s::TemplateMetadata& old) {
    if (!now.present && old.present && is_empty(old)) scalar(true, path, reason::kJobSets);
  }

  // Entries of the old list that are ours and missing now, each at its old place.
  template <class Item, class Ours>
  void items(std::string_view path, const std::optional<std::vector<Item>>& now,
             const std::optional<std::vector<Item>>& old, Ours ours, const Reason& why = reason::kOurs) {
    if (!old) return;
    bool present = now.has_value();
    std::size_t size = present ? now->size() : 0;
    for (std::size_t i = 0; i < old->size(); ++i) {
      const auto& item = (*old)[i];
      if (!ours(item) || (now && std::ranges::any_of(*now, [&](const Item& one) { return same(one, item); })))
        continue;
      const auto list = at_ + std::string(path);
      patch_.ensure(present, list, EmptyList{});
      const auto place = i < size ? std::to_string(i) : std::string("-");
      patch_.add(list + "/" + place, FromOld{from_ + std::string(path) + "/" + std::to_string(i)}, why);
      ++size;
    }
  }

  static bool same(const k8s::Container& a, const k8s::Container& b) { return a.name == b.name; }
  static bool same(const k8s::Volume& a, const k8s::Volume& b) { return a.name == b.name; }
  static bool same(const k8s::VolumeMount& a, const k8s::VolumeMount& b) {
    return a.mount_path == b.mount_path;
  }
  static bool same(const k8s::EnvVar& a, const k8s::EnvVar& b) { return a.name == b.name; }
  static bool same(const k8s::Toleration& a, const k8s::Toleration& b) { return a == b; }
  static bool same(std::string_view a, std::string_view b) { return a == b; }

  void map_keys(std::string_view path, const std::optional<k8s::StringMap>& now,
                const std::optional<k8s::StringMap>& old, const Reason& why) {
    if (!old) return;
    bool present = now.has_value();
    for (const auto& [key, value] : old->entries) {
      if (now && now->find(key) != nullptr) continue;
      const auto map = at_ + std::string(path);
      patch_.ensure(present, map, EmptyObject{});
      patch_.add(map + "/" + token(key), std::string(value), why);
    }
  }

  void affinity() {
    const auto& now = pair_.job.job.pod.spec;
    const auto& old = pair_.old.job.pod.spec;
    if (!old.preferred_anti_affinity) return;
    const auto is_ours = [](const k8s::AffinityTerm& term) {
      return term.topology_key == kHostTopology && !term.requirements.empty() &&
             term.requirements.front().key == kJobSetNameLabel;
    };
    if (!std::ranges::any_of(*old.preferred_anti_affinity, is_ours)) return;
    if (now.preferred_anti_affinity && std::ranges::any_of(*now.preferred_anti_affinity, is_ours)) return;
    const std::string affinity = "/spec/template/spec/affinity";
    bool has_affinity = now.has_affinity;
    bool has_anti = now.has_pod_anti_affinity;
    patch_.ensure(has_affinity, at_ + affinity, EmptyObject{});
    patch_.ensure(has_anti, at_ + affinity + "/podAntiAffinity", EmptyObject{});
    const auto list = affinity + "/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution";
    bool present = now.preferred_anti_affinity.has_value();
    patch_.ensure(present, at_ + list, EmptyList{});
    const std::size_t size = now.preferred_anti_affinity ? now.preferred_anti_affinity->size() : 0;
    const auto found = std::ranges::find_if(*old.preferred_anti_affinity, is_ours);
    const auto index = static_cast<std::size_t>(found - old.preferred_anti_affinity->begin());
    patch_.add(at_ + list + "/" + (index < size ? std::to_string(index) : "-"),
               FromOld{from_ + list + "/" + std::to_string(index)}, reason::kOurs);
  }

  void container_items(std::size_t index, std::size_t old_index) {
    const auto& now = pair_.job.job.pod.spec.containers[index];
    const auto& old = pair_.old.job.pod.spec.containers[old_index];
    const auto path = "/spec/template/spec/containers/";
    const auto at = at_;
    const auto from = from_;
    at_ += path + std::to_string(index);
    from_ += path + std::to_string(old_index);
    command(now, old);
    items<k8s::EnvVar>("/env", now.env, old.env, [](const auto& one) { return one.name == kJobEnv; });
    items<k8s::VolumeMount>("/volumeMounts", now.volume_mounts, old.volume_mounts,
                            [](const auto& one) { return is_our_volume(one.name); });
    at_ = at;
    from_ = from;
  }

  // The original command and args again, in any of the forms that clients send them: both; or, by server-side
  // apply of a manifest without args, the original command beside the args that we wrote and nobody owns.
  static bool is_original(const k8s::Container& now, const k8s::Container& old) {
    const auto words = [](const auto& list) { return list ? *list : std::vector<std::string_view>{}; };
    auto original = words(now.command);
    const auto args = words(now.args);
    const auto wrapped = words(old.args);
    if (!original.empty() && original == wrapped && args == wrapped) return true;
    original.insert(original.end(), args.begin(), args.end());
    return original == wrapped;
  }

  void command(const k8s::Container& now, const k8s::Container& old) {
    if (!is_wrapped(old)) return;
    if (is_wrapped(now)) {
      // Args that a client took away (a strategic or three-way merge), or gave in their original form without
      // the command.
      if (!now.args && old.args) scalar(true, "/args", reason::kOurs);
      return;
    }
    if (!is_original(now, old)) return;
    put("/command", now.command.has_value(), old.command.has_value());
    if (old.args && now.args != old.args) put("/args", now.args.has_value(), true);
  }

  void put(std::string_view path, bool present, bool old_present) {
    if (!old_present) return;
    patch_.set(present, at_ + std::string(path), FromOld{from_ + std::string(path)}, reason::kOurs);
  }

  const JobPair& pair_;
  PatchBuilder& patch_;
  std::string at_, from_;
};

} // namespace

void restore_job(const JobPair& pair, bool admitted, const std::optional<ContainerPair>& container,
                 PatchBuilder& patch) {
  JobRestore restore(pair, patch);
  restore.defaults();
  if (admitted) restore.admission();
  if (container) restore.injection(container->index, container->old_index);
}

} // namespace fluxhook::flux
