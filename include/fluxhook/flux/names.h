#pragma once

#include <string_view>

#include "fluxhook/k8s/jobset.h"

namespace fluxhook::flux {

// The names that the injection uses. They are those of Kubeflow Trainer's Flux plugin
// (pkg/runtime/framework/plugins/flux), so that its documentation and its users' habits carry over.

inline constexpr std::string_view kInstaller = "flux-installer";
inline constexpr std::string_view kInstallVolume = "flux-install";
inline constexpr std::string_view kSpackVolume = "spack-install";
inline constexpr std::string_view kMemoryVolume = "shared-memory";
inline constexpr std::string_view kScriptsVolume = "flux-entrypoint";
inline constexpr std::string_view kCurveVolume = "flux-curve";

inline constexpr std::string_view kInstallPath = "/mnt/flux";
inline constexpr std::string_view kSoftwarePath = "/opt/software"; ///< in the main container
inline constexpr std::string_view kInstallerSoftwarePath =
    "/mnt/software"; ///< the same volume in the installer
inline constexpr std::string_view kMemoryPath = "/dev/shm";
inline constexpr std::string_view kScriptsPath = "/etc/flux-config";
inline constexpr std::string_view kCurvePath = "/curve";

inline constexpr std::string_view kShell = "/bin/sh";
inline constexpr std::string_view kEntrypoint = "/etc/flux-config/entrypoint.sh";
inline constexpr std::string_view kInit = "/etc/flux-config/init.sh";

inline constexpr std::string_view kJobEnv = "FLUXHOOK_JOB"; ///< the pod's Job, from the label job-name
inline constexpr std::string_view kIndexEnv = "JOB_COMPLETION_INDEX"; ///< set by the Job controller

inline constexpr std::string_view kHostTopology = "kubernetes.io/hostname";
inline constexpr std::string_view kJobSetNameLabel = "jobset.sigs.k8s.io/jobset-name";
inline constexpr std::string_view kReplicatedJobLabel = "jobset.sigs.k8s.io/replicatedjob-name";

/// Whether a volume of that name is one of the injection's.
[[nodiscard]] constexpr bool is_our_volume(std::string_view name) {
  return name == kInstallVolume || name == kSpackVolume || name == kMemoryVolume || name == kScriptsVolume ||
         name == kCurveVolume;
}

/// Whether the container's command is our entrypoint.
[[nodiscard]] inline bool is_wrapped(const k8s::Container& container) {
  return container.command && container.command->size() == 2 && (*container.command)[0] == kShell &&
         (*container.command)[1] == kEntrypoint;
}

} // namespace fluxhook::flux
