#pragma once

#include <string_view>

#include "fluxhook/flux/plan.h"

/// Why each change is made, in the words of `fluxhook explain`; the rule that guards the same place against
/// what a manifest may say there, if one does; and the source that says so, a page or a file of another
/// project.
namespace fluxhook::flux::reason {

// Where a source is long or used more than once.
inline constexpr std::string_view kPlugin = "kubeflow/trainer, pkg/runtime/framework/plugins/flux";
inline constexpr std::string_view kBootstrap = "flux-config-bootstrap(5)";
inline constexpr std::string_view kJobSetWebhook = "kubernetes-sigs/jobset, pkg/webhooks/jobset_webhook.go";
inline constexpr std::string_view kJobSetNetwork = "kubernetes-sigs/jobset, API type Network";
inline constexpr std::string_view kJobPage = "Kubernetes, page Jobs";

inline constexpr Reason kParent{"the parent of what follows", {}, "RFC 6902, section 4.1"};
inline constexpr Reason kName{"the host list and the companions need the name that generateName gives",
                              Rule::kHostName, "Kubernetes, page Object Names and IDs"};
inline constexpr Reason kAnnotation{"what the controller renders the pods' files from",
                                    Rule::kMalformedInjected, "docs/architecture.md"};
inline constexpr Reason kHostNames{"brokers find each other by host name", Rule::kDnsHostnamesOff,
                                   kJobSetNetwork};
inline constexpr Reason kNotReady{"also before they are ready", Rule::kNotReadyAddresses, kJobSetNetwork};

inline constexpr Reason kIndexed{"a broker's rank is its pod's index", Rule::kNonIndexed, "KEP-2214"};
inline constexpr Reason kCompletions{"an Indexed Job has as many completions as it has pods",
                                     Rule::kCompletionsDiffer, kJobPage};
inline constexpr Reason kParallelism{"all brokers of a Flux instance run at the same time",
                                     Rule::kCompletionsDiffer, kBootstrap};
inline constexpr Reason kBackoff{
    "one failed broker fails the Job, and JobSet's failurePolicy restarts all together",
    {},
    "kubernetes-sigs/jobset, keps/262-ConfigurableFailurePolicy"};
inline constexpr Reason kLeaderSuccess{"complete-on: leader", {}, "KEP-3998"};
inline constexpr Reason kRestartNever{"a broker that is restarted alone can't join its instance again",
                                      Rule::kRestartOnFailure, kBootstrap};
inline constexpr Reason kDns{"brokers find each other by the cluster's names, also with hostNetwork",
                             Rule::kDnsPolicy, "Kubernetes, page DNS for Services and Pods"};
inline constexpr Reason kAffinity{"brokers on different nodes where there is room for them",
                                  {},
                                  "Kubernetes, page Assigning Pods to Nodes"};

inline constexpr Reason kInstaller{"copies Flux from the view image into the pod's volumes",
                                   Rule::kReservedInitContainer, kPlugin};
inline constexpr Reason kViewImage{"view-image", Rule::kReservedInitContainer, "docs/settings.md"};
inline constexpr Reason kInstallVolume{"where the installer puts the view", Rule::kReservedVolume, kPlugin};
inline constexpr Reason kSoftwareVolume{"where the view's links lead", Rule::kReservedVolume, kPlugin};
inline constexpr Reason kMemory{"MPI's shared memory: the runtime's own /dev/shm has 64 MiB",
                                Rule::kReservedVolume, "containerd, pkg/oci/mounts.go"};
inline constexpr Reason kScripts{"the pods' scripts", Rule::kReservedVolume, kPlugin};
inline constexpr Reason kCertificate{"the certificate by which brokers know each other",
                                     Rule::kReservedVolume, kBootstrap};
inline constexpr Reason kOwnConfigMap{"the ConfigMap of this JobSet, not of the one copied from",
                                      Rule::kReservedVolume, "docs/architecture.md"};
inline constexpr Reason kOwnSecret{"the Secret of this JobSet, not of the one copied from",
                                   Rule::kReservedVolume, "docs/architecture.md"};

inline constexpr Reason kCommand{"the entrypoint starts the broker, and the lead's runs the original command",
                                 Rule::kArgsWithoutCommand, kPlugin};
inline constexpr Reason kArgs{"the original command and args, one argument for one",
                              Rule::kArgsWithoutCommand,
                              "Kubernetes, page Define a Command and Arguments for a Container"};
inline constexpr Reason kEnv{"with JOB_COMPLETION_INDEX it tells the pod which broker it is",
                             Rule::kReservedEnv, kJobPage};
inline constexpr Reason kMount{"a volume of the injection", Rule::kReservedMountPath, kPlugin};

// UPDATE: what is put back.
inline constexpr Reason kOurs{
    "put back: the manifest applied again does not have what was injected", {}, kJobSetWebhook};
inline constexpr Reason kFixed{"put back: what was injected does not change", Rule::kSettingChanged,
                               kJobSetWebhook};
inline constexpr Reason kJobSets{"put back: JobSet set it at CREATE", {}, kJobSetWebhook};
inline constexpr Reason kQueues{
    "put back: the queue's admission set it, and it can't change while the pods run",
    {},
    "kubernetes-sigs/kueue, pkg/podset"};

} // namespace fluxhook::flux::reason
