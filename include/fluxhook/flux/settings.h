/// Module flux: what a JobSet becomes: settings, the injection plan, resource math, and the pods' files.
/// Pure: a JobSet and settings in, values out; no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fluxhook::flux {

inline constexpr std::string_view kPrefix = "flux-framework.org/";            ///< of every annotation
inline constexpr std::string_view kInjectLabel = "flux-framework.org/inject"; ///< unless --label says another
inline constexpr std::string_view kInjectedAnnotation = "flux-framework.org/injected"; ///< flux/injected.h
/// Flux for pods on x86-64, and on arm64 where nobody names an image: those of Kubeflow Trainer's Flux
/// plugin.
inline constexpr std::string_view kDefaultViewImage =
    "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy";
inline constexpr std::string_view kArmViewImage = "ghcr.io/converged-computing/flux-view-ubuntu:arm-jammy";

/// Whether a value of the label selects a JobSet; whether it says that it is not to be selected. Others are
/// taken for a slip.
[[nodiscard]] constexpr bool selects(std::string_view label) { return label == "true" || label == "enabled"; }
[[nodiscard]] constexpr bool declines(std::string_view label) {
  return label == "false" || label == "disabled";
}

/// What a user can set on a JobSet, each with its default: docs/settings.md has a row for each.
struct Settings {
  std::int32_t num_proc_per_node = 1;        ///< tasks on each broker's node; ≥ 1
  std::vector<std::string> replicated_jobs;  ///< names; empty: chosen by rule
  std::string container;                     ///< name; empty: chosen by rule
  std::string view_image{kDefaultViewImage}; ///< "none": Flux is in the application's image
  std::string network_device = "eth0";       ///< what brokers bind to; 1–15 bytes
  std::string queue_policy = "fcfs";         ///< fcfs, easy, conservative, hybrid
  bool interactive = false;                  ///< a cluster to log in to, instead of one job
  std::string pmi = "auto"; ///< `flux run -o pmi=`; auto: simple,pmix where the view has pmix
  std::string run_options;  ///< extra words for `flux run`, split as a shell would
  std::optional<std::int32_t> cores_per_task; ///< ≥ 1; absent: from the CPU limit
  std::string topology;                       ///< tbon.topo; empty: flat to 256 brokers, kary:32 above
  std::string connect_timeout = "5s";         ///< tbon.connect_timeout, a Flux duration
  std::int32_t log_level = 4;                 ///< broker's stderr, 0–7
  std::string curve_secret;        ///< an existing Secret that holds curve.cert; empty: the controller's
  std::string shm_size;            ///< sizeLimit of /dev/shm, a quantity; empty: none
  bool affinity = true;            ///< preferred pod anti-affinity by host
  bool complete_on_leader = false; ///< the Job succeeds with index 0

  bool operator==(const Settings&) const = default;
};

inline constexpr std::size_t kSettingCount = 17; ///< fields of Settings, rows of setting_table()

/// The server's own configuration: what stands behind the annotations.
struct Defaults {
  std::string label{kInjectLabel}; ///< label key that selects a JobSet
  std::string cluster_domain = "cluster.local";
  Settings settings;
};

} // namespace fluxhook::flux
