#include "inject.h"

#include <algorithm>

#include "fluxhook/base/version.h"
#include "fluxhook/flux/injected.h"
#include "fluxhook/flux/names.h"
#include "fluxhook/flux/render.h"
#include "fluxhook/flux/setting_table.h"
#include "patch_builder.h"
#include "paths.h"

namespace fluxhook::flux {
namespace {

using namespace std::string_view_literals;

/// The changes to one member's Job template.
class Injection {
public:
  Injection(const k8s::JobSet& jobset, const Outcome& outcome, const Member& member, PatchBuilder& patch)
      : jobset_(jobset), outcome_(outcome), member_(member), patch_(patch),
        view_(outcome.settings.view_image != "none"),
        own_shm_(mount_at(kMemoryPath) != nullptr && mount_at(kMemoryPath)->name != kMemoryVolume),
        job_(job_pointer(member.job_index)), pod_(pod_pointer(member.job_index)),
        container_(container_pointer(member.job_index, member.container_index)) {}

  void run() {
    add_job();
    add_pod();
    add_affinity();
    if (view_) add_installer();
    add_volumes();
    add_command();
    add_env();
    add_mounts();
  }

private:
  [[nodiscard]] const k8s::VolumeMount* mount_at(std::string_view path) const {
    if (!member_.container->volume_mounts) return nullptr;
    for (const auto& mount : *member_.container->volume_mounts) {
      if (clean_path(mount.mount_path) == path) return &mount;
    }
    return nullptr;
  }

  void add_job() {
    const auto& job = member_.job->job;
    if (job.completion_mode.empty()) patch_.add(job_ + "/completionMode", "Indexed"sv, reason::kIndexed);
    if (job.parallelism && !job.completions)
      patch_.add(job_ + "/completions", *job.parallelism, reason::kCompletions);
    if (job.completions && !job.parallelism)
      patch_.add(job_ + "/parallelism", *job.completions, reason::kParallelism);
    if (!job.backoff_limit) patch_.add(job_ + "/backoffLimit", std::int64_t{0}, reason::kBackoff);
    if (outcome_.settings.complete_on_leader && !job.has_success_policy)
      patch_.add(job_ + "/successPolicy", LeaderSuccess{}, reason::kLeaderSuccess);
  }

  void add_pod() {
    const auto& pod = member_.job->job.pod.spec;
    if (pod.restart_policy.empty()) patch_.add(pod_ + "/restartPolicy", "Never"sv, reason::kRestartNever);
    if (pod.host_network && pod.dns_policy.empty())
      patch_.add(pod_ + "/dnsPolicy", "ClusterFirstWithHostNet"sv, reason::kDns);
  }

  [[nodiscard]] bool is_ours(const k8s::AffinityTerm& term) const {
    return term.topology_key == kHostTopology && std::ranges::any_of(term.requirements, [&](const auto& one) {
             return one.key == kJobSetNameLabel && one.op == "In" && one.values.size() == 1 &&
                    one.values.front() == outcome_.name;
           });
  }

  void add_affinity() {
    const auto& pod = member_.job->job.pod.spec;
    if (!outcome_.settings.affinity) return;
    if (pod.preferred_anti_affinity &&
        std::ranges::any_of(*pod.preferred_anti_affinity, [&](const auto& term) { return is_ours(term); }))
      return;
    const auto affinity = pod_ + "/affinity";
    const auto anti = affinity + "/podAntiAffinity";
    const auto preferred = anti + "/preferredDuringSchedulingIgnoredDuringExecution";
    bool has_affinity = pod.has_affinity;
    bool has_anti = pod.has_pod_anti_affinity;
    bool has_preferred = pod.preferred_anti_affinity.has_value();
    patch_.ensure(has_affinity, affinity, EmptyObject{});
    patch_.ensure(has_anti, anti, EmptyObject{});
    patch_.ensure(has_preferred, preferred, EmptyList{});
    AffinityValue term{outcome_.name, {}};
    if (outcome_.members.size() < jobset_.replicated_jobs.size()) {
      for (const auto& member : outcome_.members)
        term.replicated_jobs.push_back(member.job->name);
    }
    patch_.add(preferred + "/-", std::move(term), reason::kAffinity);
  }

  void add_installer() {
    const auto& existing = member_.job->job.pod.spec.init_containers;
    const auto list = pod_ + "/initContainers";
    if (existing) {
      const auto installer = std::ranges::find(*existing, kInstaller, &k8s::Container::name);
      if (installer != existing->end()) return update_image(*installer, list, installer - existing->begin());
    }
    InitContainerValue installer{.image = view_image()};
    if (member_.container->has_security_context) {
      installer.copy_security_context = true;
      installer.security_context = container_ + "/securityContext";
    }
    installer.mounts = {{kInstallVolume, kInstallPath},
                        {kSpackVolume, kInstallerSoftwarePath},
                        {kScriptsVolume, kScriptsPath, true}};
    bool present = existing.has_value();
    patch_.ensure(present, list, EmptyList{});
    patch_.add(list + "/-", std::move(installer), reason::kInstaller);
  }

  // A manifest that was read from a cluster and given another view image by hand.
  void update_image(const k8s::Container& installer, const std::string& list, std::ptrdiff_t index) {
    if (view_origin() < Origin::kEnv || installer.image == outcome_.settings.view_image) return;
    patch_.set(!installer.image.empty(), list + "/" + std::to_string(index) + "/image",
               outcome_.settings.view_image, reason::kViewImage);
  }

  [[nodiscard]] Origin view_origin() const {
    return outcome_.origins[setting_index(*find_setting("view-image"))];
  }

  [[nodiscard]] std::string view_image() const {
    const auto& selector = member_.job->job.pod.spec.node_selector;
    const bool arm = selector && selector->get("kubernetes.io/arch") == "arm64";
    const auto& image = outcome_.settings.view_image;
    return std::string(arm && view_origin() < Origin::kEnv && image == kDefaultViewImage ? kArmViewImage
                                                                                         : image);
  }

  void add_volumes() {
    const auto& volumes = member_.job->job.pod.spec.volumes;
    bool present = volumes.has_value();
    const auto list = pod_ + "/volumes";
    const auto add = [&](VolumeValue value, const Reason& why) {
      if (volumes && std::ranges::contains(*volumes, value.name, &k8s::Volume::name)) return;
      patch_.ensure(present, list, EmptyList{});
      patch_.add(list + "/-", std::move(value), why);
    };
    add({kInstallVolume, VolumeValue::Kind::kEmptyDir, {}}, reason::kInstallVolume);
    if (view_) add({kSpackVolume, VolumeValue::Kind::kEmptyDir, {}}, reason::kSoftwareVolume);
    if (!own_shm_)
      add({kMemoryVolume, VolumeValue::Kind::kMemory, outcome_.settings.shm_size}, reason::kMemory);
    add({kScriptsVolume, VolumeValue::Kind::kConfigMap, config_map_name(outcome_.name)}, reason::kScripts);
    add({kCurveVolume, VolumeValue::Kind::kSecret, secret_name(outcome_.name, outcome_.settings)},
        reason::kCertificate);
    if (volumes) rename_sources(*volumes, list);
  }

  // A manifest that was read from a cluster and given another name: its companions have other names as well.
  void rename_sources(const std::vector<k8s::Volume>& volumes, const std::string& list) {
    const auto config_map = config_map_name(outcome_.name);
    const auto secret = secret_name(outcome_.name, outcome_.settings);
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      const auto at = list + "/" + std::to_string(i);
      if (volumes[i].name == kScriptsVolume && !volumes[i].config_map.empty() &&
          volumes[i].config_map != config_map)
        patch_.replace(at + "/configMap/name", config_map, reason::kOwnConfigMap);
      if (volumes[i].name == kCurveVolume && !volumes[i].secret.empty() && volumes[i].secret != secret)
        patch_.replace(at + "/secret/secretName", secret, reason::kOwnSecret);
    }
  }

  void add_command() {
    const auto& container = *member_.container;
    if (is_wrapped(container)) return;
    const bool has_command = container.command.has_value();
    const bool has_args = container.args.has_value();
    Words original;
    if (has_command) original = *container.command;
    if (has_args) original.insert(original.end(), container.args->begin(), container.args->end());
    patch_.set(has_command, container_ + "/command", Words{kShell, kEntrypoint}, reason::kCommand);
    if (has_command && !container.command->empty())
      patch_.set(has_args, container_ + "/args", std::move(original), reason::kArgs);
  }

  void add_env() {
    const auto& env = member_.container->env;
    if (env && std::ranges::contains(*env, kJobEnv, &k8s::EnvVar::name)) return;
    bool present = env.has_value();
    patch_.ensure(present, container_ + "/env", EmptyList{});
    patch_.add(container_ + "/env/-", EnvValue{kJobEnv, "job-name"}, reason::kEnv);
  }

  void add_mounts() {
    bool present = member_.container->volume_mounts.has_value();
    const auto list = container_ + "/volumeMounts";
    const auto add = [&](MountValue value) {
      if (mount_at(value.path) != nullptr) return;
      patch_.ensure(present, list, EmptyList{});
      patch_.add(list + "/-", value, reason::kMount);
    };
    add({kInstallVolume, kInstallPath});
    if (view_) add({kSpackVolume, kSoftwarePath});
    if (!own_shm_) add({kMemoryVolume, kMemoryPath});
    add({kScriptsVolume, kScriptsPath, true});
    add({kCurveVolume, kCurvePath, true});
  }

  const k8s::JobSet& jobset_;
  const Outcome& outcome_;
  const Member& member_;
  PatchBuilder& patch_;
  bool view_;
  bool own_shm_;
  std::string job_, pod_, container_;
};

void add_annotation(const k8s::JobSet& jobset, const Outcome& outcome, PatchBuilder& patch) {
  Injected injected{std::string(kVersion), outcome.settings, {}};
  for (std::size_t i = 0; i < kSettingCount; ++i)
    injected.set[i] = outcome.origins[i] >= Origin::kEnv;
  const auto pointer = "/metadata/annotations/" + token(kInjectedAnnotation);
  const auto* before = jobset.annotations ? jobset.annotations->find(kInjectedAnnotation) : nullptr;
  if (before == nullptr) {
    bool present = jobset.annotations.has_value();
    patch.ensure(present, "/metadata/annotations", EmptyObject{});
    patch.add(pointer, format_injected(injected), reason::kAnnotation);
    return;
  }
  // Written by another version with the same settings: it stays as it is.
  const auto parsed = parse_injected(*before);
  if (!parsed || parsed->settings != injected.settings || parsed->set != injected.set)
    patch.replace(pointer, format_injected(injected), reason::kAnnotation);
}

void add_network(const k8s::JobSet& jobset, PatchBuilder& patch) {
  bool present = jobset.network.present;
  const auto add = [&](const std::optional<bool>& value, std::string pointer, const Reason& why) {
    if (value) return;
    patch.ensure(present, "/spec/network", EmptyObject{});
    patch.add(std::move(pointer), true, why);
  };
  add(jobset.network.enable_dns_hostnames, "/spec/network/enableDNSHostnames", reason::kHostNames);
  add(jobset.network.publish_not_ready_addresses, "/spec/network/publishNotReadyAddresses",
      reason::kNotReady);
}

} // namespace

void inject(const k8s::JobSet& jobset, Outcome& outcome) {
  PatchBuilder patch(outcome.changes);
  outcome.changes.reserve(32);
  if (jobset.name.empty()) patch.add("/metadata/name", outcome.name, reason::kName);
  add_annotation(jobset, outcome, patch);
  add_network(jobset, patch);
  for (const auto& member : outcome.members)
    Injection(jobset, outcome, member, patch).run();
}

} // namespace fluxhook::flux
