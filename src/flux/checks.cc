#include "checks.h"

#include <algorithm>

#include "fluxhook/base/text.h"
#include "fluxhook/flux/names.h"
#include "fluxhook/flux/setting_table.h"
#include "fluxhook/k8s/names.h"
#include "paths.h"

namespace fluxhook::flux {
namespace {

using k8s::FieldError;

FieldError invalid_bool(std::string field, bool value, std::string detail) {
  return {FieldError::Type::kInvalid, std::move(field), value ? "true" : "false", std::move(detail)};
}

/// Collects the findings about one member.
class MemberCheck {
public:
  MemberCheck(const Member& member, bool injected, Outcome& outcome)
      : member_(member), injected_(injected), outcome_(outcome) {}

  void run() {
    check_job();
    check_pod();
    check_container();
    check_processes();
    if (!injected_) check_reserved();
    check_names();
  }

private:
  void note(Rule rule, FieldError error) { outcome_.findings.push_back({rule, std::move(error)}); }

  // Paths are put together only for a finding.
  [[nodiscard]] std::string in_job(std::string_view rest) const {
    return job_field(member_.job_index).append(rest);
  }
  [[nodiscard]] std::string in_pod(std::string_view rest) const {
    return pod_field(member_.job_index).append(rest);
  }
  [[nodiscard]] std::string in_container(std::string_view rest) const {
    return container_field(member_.job_index, member_.container_index).append(rest);
  }

  void check_job() {
    const auto& job = member_.job->job;
    if (!job.completion_mode.empty() && job.completion_mode != "Indexed")
      note(Rule::kNonIndexed, k8s::invalid(in_job(".completionMode"), job.completion_mode,
                                           "must be Indexed: a broker's rank is its pod's index"));
    if (job.completions && job.parallelism && *job.completions != *job.parallelism)
      note(Rule::kCompletionsDiffer,
           k8s::invalid(in_job(".completions"), *job.completions,
                        "must equal parallelism (" + std::to_string(*job.parallelism) +
                            "): all brokers of a Flux instance run at the same time"));
    if (member_.job->replicas < 1)
      note(Rule::kNoPods, k8s::invalid(replicated_job_field(member_.job_index) + ".replicas",
                                       member_.job->replicas, "must be greater than or equal to 1"));
    if (member_.job->pods() < 1)
      note(Rule::kNoPods, k8s::invalid(in_job(job.completions ? ".completions" : ".parallelism"),
                                       member_.job->pods(), "must be greater than or equal to 1"));
  }

  // With None, dnsConfig may well name the cluster's DNS.
  static bool resolves_names(const k8s::PodSpec& pod) {
    const auto policy = pod.dns_policy;
    if (policy.empty() || policy == "ClusterFirstWithHostNet") return true;
    return !pod.host_network && policy != "Default";
  }

  void check_pod() {
    const auto& pod = member_.job->job.pod.spec;
    if (!resolves_names(pod))
      note(Rule::kDnsPolicy,
           k8s::invalid(in_pod(".dnsPolicy"), pod.dns_policy,
                        (pod.host_network
                             ? "must be ClusterFirstWithHostNet or absent when hostNetwork is true"
                             : "must be ClusterFirst or absent") +
                            std::string(": brokers find each other by the cluster's names")));
    if (pod.restart_policy == "OnFailure")
      note(Rule::kRestartOnFailure,
           k8s::invalid(in_pod(".restartPolicy"), pod.restart_policy,
                        "a broker that is restarted alone can't join its instance again; Never lets JobSet's "
                        "failurePolicy restart all together"));
  }

  void check_container() {
    const auto& container = *member_.container;
    const bool has_args = container.args && !container.args->empty();
    const bool has_command = container.command && !container.command->empty();
    if (has_args && !has_command && !outcome_.settings.interactive)
      note(Rule::kArgsWithoutCommand,
           k8s::required(in_container(".command"),
                         "must be given with args: what the image's entrypoint is can't be known"));
  }

  // Of every container, since a pod with one that can't start never becomes ready.
  void check_processes() {
    const auto& pod = member_.job->job.pod.spec;
    const auto field = pod_field(member_.job_index);
    if (pod.init_containers) check_texts(*pod.init_containers, field + ".initContainers");
    check_texts(pod.containers, field + ".containers");
  }

  void check_texts(const std::vector<k8s::Container>& containers, const std::string& list) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const auto& container = containers[i];
      const auto field = [&](std::string_view name) { return item(list, i).append(name); };
      if (container.command) check_words(*container.command, [&] { return field(".command"); });
      if (container.args) check_words(*container.args, [&] { return field(".args"); });
      if (!container.env) continue;
      for (std::size_t e = 0; e < container.env->size(); ++e) {
        check_text((*container.env)[e].name, [&] { return item(field(".env"), e) + ".name"; });
        check_text((*container.env)[e].value, [&] { return item(field(".env"), e) + ".value"; });
      }
    }
  }

  void check_words(const std::vector<std::string_view>& words, const auto& field) {
    for (std::size_t i = 0; i < words.size(); ++i)
      check_text(words[i], [&] { return item(field(), i); });
  }

  // execve(2) takes words and variables that end with a NUL.
  void check_text(std::string_view text, const auto& field) {
    if (text.contains('\0'))
      note(Rule::kNulCharacter,
           k8s::invalid(field(), text, "must not contain a NUL character: no process can be given one"));
  }

  void check_reserved() {
    const auto& pod = member_.job->job.pod.spec;
    if (pod.init_containers) check_container_names(*pod.init_containers, ".initContainers");
    check_container_names(pod.containers, ".containers");
    if (pod.volumes) {
      for (std::size_t i = 0; i < pod.volumes->size(); ++i) {
        if (const auto name = (*pod.volumes)[i].name; is_our_volume(name))
          note(Rule::kReservedVolume, k8s::invalid(item(in_pod(".volumes"), i) + ".name", name,
                                                   "is the name of one of fluxhook's volumes"));
      }
    }
    check_mounts();
    check_env();
  }

  // Containers and init containers of a pod can't have the same name.
  void check_container_names(const std::vector<k8s::Container>& containers, std::string_view list) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      if (containers[i].name == kInstaller)
        note(Rule::kReservedInitContainer, k8s::invalid(item(in_pod(list), i) + ".name", kInstaller,
                                                        "is the name of fluxhook's init container"));
    }
  }

  void check_mounts() {
    const auto& mounts = member_.container->volume_mounts;
    if (!mounts) return;
    for (std::size_t i = 0; i < mounts->size(); ++i) {
      if (const auto taken = reserved_path((*mounts)[i].mount_path); !taken.empty())
        note(Rule::kReservedMountPath,
             k8s::invalid(item(in_container(".volumeMounts"), i) + ".mountPath", (*mounts)[i].mount_path,
                          "must not be " + std::string(taken) + " or below it: the injection mounts there"));
    }
  }

  [[nodiscard]] std::string_view reserved_path(std::string_view mount_path) const {
    const auto path = clean_path(mount_path);
    for (const auto taken : {kInstallPath, kSoftwarePath, kScriptsPath, kCurvePath}) {
      if (taken == kSoftwarePath && outcome_.settings.view_image == "none") continue;
      if (path.starts_with(taken) && (path.size() == taken.size() || path[taken.size()] == '/')) return taken;
    }
    return {};
  }

  // Many manifests take the index from the pod's annotation, which is what the Job controller does too.
  static bool is_reserved(const k8s::EnvVar& variable) {
    return variable.name == kJobEnv ||
           (variable.name == kIndexEnv && variable.source != k8s::EnvVar::Source::kFieldRef);
  }

  void check_env() {
    const auto& env = member_.container->env;
    if (!env) return;
    for (std::size_t i = 0; i < env->size(); ++i) {
      if (is_reserved((*env)[i]))
        note(Rule::kReservedEnv, k8s::invalid(item(in_container(".env"), i) + ".name", (*env)[i].name,
                                              "must not be set: it tells the pod which broker it is"));
    }
  }

  // Job, pod and host: <jobset>-<rj>-<replica>, with -<index>, and for the pod with -<five characters>
  // (kubernetes-sigs/jobset, pkg/util/placement and pkg/webhooks).
  void check_names() {
    const auto& job = *member_.job;
    if (outcome_.name.empty() || job.replicas < 1 || job.pods() < 1) return;
    const auto field = [&] { return replicated_job_field(member_.job_index) + ".name"; };
    const auto job_name =
        outcome_.name + "-" + std::string(job.name) + "-" + std::to_string(job.replicas - 1);
    if (auto fault = k8s::check_dns1035_label(job_name); !fault.empty())
      note(Rule::kObjectName,
           k8s::invalid(field(), job.name, "makes the Job's name " + in_quotes(job_name) + ": " + fault));
    const auto host = job_name + "-" + std::to_string(job.pods() - 1);
    const auto pod_length = host.size() + 1 + k8s::kGeneratedSuffix;
    if (pod_length > k8s::kLabelLength) {
      note(Rule::kHostName,
           k8s::invalid(field(), job.name,
                        "makes the pod's name " + in_quotes(host + "-xxxxx") + ": must be no more than " +
                            std::to_string(k8s::kLabelLength) + " bytes"));
    }
  }

  const Member& member_;
  bool injected_;
  Outcome& outcome_;
};

void check_name(Outcome& outcome) {
  if (outcome.name.empty())
    outcome.findings.push_back(
        {Rule::kObjectName, k8s::required("metadata.name", "name or generateName is required")});
}

void check_network(const k8s::JobSet& jobset, Outcome& outcome) {
  const auto& network = jobset.network;
  if (network.enable_dns_hostnames == false)
    outcome.findings.push_back(
        {Rule::kDnsHostnamesOff,
         invalid_bool("spec.network.enableDNSHostnames", false,
                      "must be true or absent: brokers find each other by host name")});
  if (network.publish_not_ready_addresses == false)
    outcome.findings.push_back(
        {Rule::kNotReadyAddresses,
         invalid_bool("spec.network.publishNotReadyAddresses", false,
                      "with a readiness probe brokers can't find each other before all are ready")});
  const auto subdomain = network.subdomain.empty() ? std::string_view(outcome.name) : network.subdomain;
  if (subdomain.empty()) return; // check_name has said so
  if (auto fault = k8s::check_dns1035_label(subdomain); !fault.empty())
    outcome.findings.push_back(
        {network.subdomain.empty() ? Rule::kObjectName : Rule::kSubdomain,
         k8s::invalid(network.subdomain.empty()
                          ? (jobset.name.empty() ? "metadata.generateName" : "metadata.name")
                          : "spec.network.subdomain",
                      subdomain, std::move(fault))});
}

std::string env_field(const Member& member, std::string_view name) {
  std::size_t index = 0;
  if (const auto& env = member.container->env)
    index = static_cast<std::size_t>(std::ranges::find(*env, name, &k8s::EnvVar::name) - env->begin());
  return item(container_field(member.job_index, member.container_index) + ".env", index) + ".value";
}

void check_image(const Member& lead, Outcome& outcome) {
  const auto& image = outcome.settings.view_image;
  const auto row = setting_index(*find_setting("view-image"));
  const auto origin = outcome.origins[row];
  if (origin < Origin::kEnv || image == "none" || !k8s::image_floats(image)) return;
  const auto field = origin == Origin::kAnnotation ? annotation_field("view-image")
                                                   : env_field(lead, find_setting("view-image")->env);
  outcome.findings.push_back(
      {Rule::kFloatingImage, k8s::invalid(field, image,
                                          "should have a tag other than latest, or a digest: all brokers "
                                          "need the same version of Flux")});
}

} // namespace

void check_instance(const k8s::JobSet& jobset, Outcome& outcome) {
  const bool injected = !jobset.annotation(kInjectedAnnotation).empty();
  check_name(outcome);
  check_network(jobset, outcome);
  for (const auto& member : outcome.members)
    MemberCheck(member, injected, outcome).run();
  if (!outcome.members.empty()) check_image(outcome.members.front(), outcome);
  check_size(outcome);
  check_order(jobset, outcome);
}

} // namespace fluxhook::flux
