/// Module k8s: what Kubernetes itself says (naming rules, field errors) and the slices of a JobSet that
/// fluxhook reads. Pure: nothing here knows JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fluxhook/k8s/field_error.h"

namespace fluxhook::k8s {

// Every std::string_view below borrows from the decoded document, which has to outlive the slice. An absent
// field is std::nullopt (or an empty text where an empty one means the same); a list or an object that is
// absent differs from an empty one only where a patch must know whether there is a parent to add to.

/// A map of strings in the document's order: labels, annotations, a nodeSelector.
struct StringMap {
  std::vector<std::pair<std::string_view, std::string_view>> entries;

  [[nodiscard]] const std::string_view* find(std::string_view key) const; ///< nullptr when it is absent
  [[nodiscard]] std::string_view get(std::string_view key) const;         ///< "" when it is absent
};

struct EnvVar {
  enum class Source : std::uint8_t { kLiteral, kFieldRef, kResourceFieldRef, kOther };
  std::string_view name;
  std::string_view value; ///< of a literal
  Source source = Source::kLiteral;
};

struct VolumeMount {
  std::string_view name; ///< of the volume
  std::string_view mount_path;
};

struct ResourceLimit {
  std::string_view resource; ///< "cpu", "nvidia.com/gpu"
  std::string quantity;      ///< as written; of a JSON number its digits
};

struct Container {
  std::string_view name;
  std::string_view image;
  std::optional<std::vector<std::string_view>> command;
  std::optional<std::vector<std::string_view>> args;
  std::optional<std::vector<EnvVar>> env;
  std::optional<std::vector<VolumeMount>> volume_mounts;
  std::vector<ResourceLimit> limits; ///< resources.limits
  bool has_resources = false;
  bool has_empty_resources = false; ///< `resources: {}`, as typed clients leave it
  bool has_security_context = false;
};

struct Volume {
  std::string_view name;
  std::string_view config_map; ///< configMap.name
  std::string_view secret;     ///< secret.secretName
};

/// metadata of a Job template or a pod template.
struct TemplateMetadata {
  bool present = false;
  std::optional<StringMap> labels;
  std::optional<StringMap> annotations;
};

struct Toleration {
  std::string_view key, op, value, effect;
  std::optional<std::int64_t> seconds;
  bool operator==(const Toleration&) const = default;
};

/// One term of preferredDuringSchedulingIgnoredDuringExecution, as far as it is read.
struct AffinityTerm {
  struct Requirement {
    std::string_view key, op;
    std::vector<std::string_view> values;
  };
  std::string_view topology_key;
  std::vector<Requirement> requirements; ///< podAffinityTerm.labelSelector.matchExpressions
};

struct PodSpec {
  bool present = false;
  std::string_view restart_policy;
  std::string_view dns_policy;
  bool host_network = false;
  std::optional<std::int64_t> termination_grace_seconds;
  std::optional<StringMap> node_selector;
  std::optional<std::vector<Toleration>> tolerations;
  std::optional<std::vector<std::string_view>> scheduling_gates; ///< their names
  std::optional<std::vector<Container>> init_containers;
  std::vector<Container> containers;
  std::optional<std::vector<Volume>> volumes;
  bool has_affinity = false;
  bool has_pod_anti_affinity = false;
  std::optional<std::vector<AffinityTerm>> preferred_anti_affinity;
};

struct PodTemplate {
  bool present = false;
  TemplateMetadata metadata;
  PodSpec spec;
};

struct JobSpec {
  bool present = false;
  std::optional<std::int64_t> parallelism;
  std::optional<std::int64_t> completions;
  std::optional<std::int64_t> backoff_limit;
  std::string_view completion_mode;
  bool has_success_policy = false;
  PodTemplate pod;
};

/// What a replicatedJob waits for before its Jobs are created (JobSet's DependsOn).
struct Dependency {
  std::string_view name;   ///< of a replicatedJob
  std::string_view status; ///< Ready or Complete
};

struct ReplicatedJob {
  std::string_view name;
  std::int64_t replicas = 1;
  std::vector<Dependency> depends_on;
  TemplateMetadata metadata; ///< of the Job template
  JobSpec job;

  /// Pods of one replica: completions or parallelism, whichever is given; 1 when neither is.
  [[nodiscard]] std::int64_t pods() const;
};

struct Network {
  bool present = false;
  std::optional<bool> enable_dns_hostnames;
  std::optional<bool> publish_not_ready_addresses;
  std::string_view subdomain;
};

/// The reference that carries controller: true, if any.
struct ControllerRef {
  std::string_view kind, name;
};

/// A jobset.x-k8s.io/v1alpha2 JobSet, as far as fluxhook reads it.
struct JobSet {
  std::string_view name;
  std::string_view generate_name;
  std::string_view name_space;
  std::string_view uid;
  bool has_metadata = false;
  bool has_spec = false;
  bool deleting = false; ///< has a deletionTimestamp
  ControllerRef controller;
  std::optional<StringMap> labels;
  std::optional<StringMap> annotations;
  std::optional<bool> suspend;
  std::string_view managed_by;     ///< spec.managedBy; "" or JobSet's own: JobSet runs it in this cluster
  std::string_view terminal_state; ///< status.terminalState; "" while it isn't over, and in a review
  Network network;
  bool has_startup_policy = false;
  bool default_startup_policy = false; ///< exactly {startupPolicyOrder: AnyOrder}, what JobSet sets at CREATE
  bool has_success_policy = false;
  bool default_success_policy = false; ///< exactly {operator: All}, what JobSet sets at CREATE
  std::vector<ReplicatedJob> replicated_jobs;
  std::vector<FieldError> type_errors; ///< fields of a wrong JSON type; they read as absent

  [[nodiscard]] std::string_view label(std::string_view key) const;      ///< "" when absent
  [[nodiscard]] std::string_view annotation(std::string_view key) const; ///< "" when absent
};

} // namespace fluxhook::k8s
