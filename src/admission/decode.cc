#include "decode.h"

#include "reader.h"

namespace fluxhook::admission {
namespace {

using k8s::JobSet;

k8s::EnvVar::Source env_source(const Field& from) {
  auto source = k8s::EnvVar::Source::kOther;
  from.members([&](const Field& field) {
    if (field.key() == "fieldRef") source = k8s::EnvVar::Source::kFieldRef;
    if (field.key() == "resourceFieldRef") source = k8s::EnvVar::Source::kResourceFieldRef;
  });
  return source;
}

k8s::EnvVar read_env(const Field& item) {
  k8s::EnvVar env;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "name") field.read(env.name);
    else if (key == "value") field.read(env.value);
    else if (key == "valueFrom") env.source = env_source(field);
  });
  return env;
}

k8s::VolumeMount read_mount(const Field& item) {
  k8s::VolumeMount mount;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "name") field.read(mount.name);
    else if (key == "mountPath") field.read(mount.mount_path);
  });
  return mount;
}

void read_resources(const Field& resources, k8s::Container& out) {
  out.has_resources = !resources.is_null();
  out.has_empty_resources = resources.is_empty_object();
  resources.members([&](const Field& field) {
    if (field.key() != "limits") return;
    field.members([&](const Field& limit) {
      k8s::ResourceLimit one{limit.key(), {}};
      if (limit.read_quantity(one.quantity)) out.limits.push_back(one);
    });
  });
}

k8s::Container read_container(const Field& item) {
  k8s::Container container;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "name") field.read(container.name);
    else if (key == "image") field.read(container.image);
    else if (key == "command") field.read(container.command);
    else if (key == "args") field.read(container.args);
    else if (key == "env") field.read(container.env, read_env);
    else if (key == "volumeMounts") field.read(container.volume_mounts, read_mount);
    else if (key == "resources") read_resources(field, container);
    else if (key == "securityContext") container.has_security_context = field.has_object();
  });
  return container;
}

k8s::Volume read_volume(const Field& item) {
  k8s::Volume volume;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "name") field.read(volume.name);
    else if (key == "configMap") field.read_member("name", volume.config_map);
    else if (key == "secret") field.read_member("secretName", volume.secret);
  });
  return volume;
}

k8s::Toleration read_toleration(const Field& item) {
  k8s::Toleration toleration;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "key") field.read(toleration.key);
    else if (key == "operator") field.read(toleration.op);
    else if (key == "value") field.read(toleration.value);
    else if (key == "effect") field.read(toleration.effect);
    else if (key == "tolerationSeconds") field.read(toleration.seconds);
  });
  return toleration;
}

std::string_view read_gate(const Field& item) {
  std::string_view name;
  item.read_member("name", name);
  return name;
}

k8s::AffinityTerm::Requirement read_requirement(const Field& item) {
  k8s::AffinityTerm::Requirement requirement;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "key") field.read(requirement.key);
    else if (key == "operator") field.read(requirement.op);
    else if (key == "values") field.read(requirement.values);
  });
  return requirement;
}

k8s::AffinityTerm read_term(const Field& item) {
  k8s::AffinityTerm term;
  item.members([&](const Field& weighted) {
    if (weighted.key() != "podAffinityTerm") return;
    weighted.members([&](const Field& field) {
      if (field.key() == "topologyKey") field.read(term.topology_key);
      if (field.key() != "labelSelector") return;
      field.members([&](const Field& selector) {
        if (selector.key() == "matchExpressions") selector.read(term.requirements, read_requirement);
      });
    });
  });
  return term;
}

void read_affinity(const Field& affinity, k8s::PodSpec& pod) {
  pod.has_affinity = affinity.is_object();
  affinity.members([&](const Field& anti) {
    if (anti.key() != "podAntiAffinity") return;
    pod.has_pod_anti_affinity = anti.is_object();
    anti.members([&](const Field& field) {
      if (field.key() == "preferredDuringSchedulingIgnoredDuringExecution")
        field.read(pod.preferred_anti_affinity, read_term);
    });
  });
}

void read_metadata(const Field& from, k8s::TemplateMetadata& metadata) {
  metadata.present = from.is_object();
  from.members([&](const Field& field) {
    if (field.key() == "labels") field.read(metadata.labels);
    else if (field.key() == "annotations") field.read(metadata.annotations);
  });
}

void read_pod_spec(const Field& from, k8s::PodSpec& pod) {
  pod.present = from.is_object();
  from.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "containers") field.read(pod.containers, read_container);
    else if (key == "initContainers") field.read(pod.init_containers, read_container);
    else if (key == "volumes") field.read(pod.volumes, read_volume);
    else if (key == "restartPolicy") field.read(pod.restart_policy);
    else if (key == "dnsPolicy") field.read(pod.dns_policy);
    else if (key == "hostNetwork") field.read(pod.host_network);
    else if (key == "terminationGracePeriodSeconds") field.read(pod.termination_grace_seconds);
    else if (key == "nodeSelector") field.read(pod.node_selector);
    else if (key == "tolerations") field.read(pod.tolerations, read_toleration);
    else if (key == "schedulingGates") field.read(pod.scheduling_gates, read_gate);
    else if (key == "affinity") read_affinity(field, pod);
  });
}

void read_pod_template(const Field& from, k8s::PodTemplate& pod) {
  pod.present = from.is_object();
  from.members([&](const Field& field) {
    if (field.key() == "metadata") read_metadata(field, pod.metadata);
    else if (field.key() == "spec") read_pod_spec(field, pod.spec);
  });
}

void read_job_spec(const Field& from, k8s::JobSpec& job) {
  job.present = from.is_object();
  from.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "parallelism") field.read(job.parallelism);
    else if (key == "completions") field.read(job.completions);
    else if (key == "backoffLimit") field.read(job.backoff_limit);
    else if (key == "completionMode") field.read(job.completion_mode);
    else if (key == "successPolicy") job.has_success_policy = field.has_object();
    else if (key == "template") read_pod_template(field, job.pod);
  });
}

k8s::Dependency read_dependency(const Field& item) {
  k8s::Dependency dependency;
  item.members([&](const Field& field) {
    if (field.key() == "name") field.read(dependency.name);
    else if (field.key() == "status") field.read(dependency.status);
  });
  return dependency;
}

k8s::ReplicatedJob read_replicated_job(const Field& item) {
  k8s::ReplicatedJob job;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "name") field.read(job.name);
    else if (key == "replicas") field.read(job.replicas);
    else if (key == "dependsOn") field.read(job.depends_on, read_dependency);
    else if (key == "template") {
      field.members([&](const Field& part) {
        if (part.key() == "metadata") read_metadata(part, job.metadata);
        else if (part.key() == "spec") read_job_spec(part, job.job);
      });
    }
  });
  return job;
}

void read_network(const Field& from, k8s::Network& network) {
  network.present = from.is_object();
  from.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "enableDNSHostnames") field.read(network.enable_dns_hostnames);
    else if (key == "publishNotReadyAddresses") field.read(network.publish_not_ready_addresses);
    else if (key == "subdomain") field.read(network.subdomain);
  });
}

void read_spec(const Field& spec, JobSet& out) {
  out.has_spec = spec.is_object();
  spec.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "replicatedJobs") {
      field.read(out.replicated_jobs, read_replicated_job);
    } else if (key == "network") {
      read_network(field, out.network);
    } else if (key == "suspend") {
      field.read(out.suspend);
    } else if (key == "managedBy") {
      field.read(out.managed_by);
    } else if (key == "startupPolicy") {
      out.has_startup_policy = field.has_object();
      out.default_startup_policy = field.is_just("startupPolicyOrder", "AnyOrder");
    } else if (key == "successPolicy") {
      out.has_success_policy = field.has_object();
      out.default_success_policy = field.is_just("operator", "All");
    }
  });
}

void read_owner(const Field& item, JobSet& out) {
  k8s::ControllerRef owner;
  bool controller = false;
  item.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "kind") field.read(owner.kind);
    else if (key == "name") field.read(owner.name);
    else if (key == "controller") field.read(controller);
  });
  if (controller) out.controller = owner;
}

void read_object_metadata(const Field& metadata, JobSet& out) {
  out.has_metadata = metadata.is_object();
  metadata.members([&](const Field& field) {
    const auto key = field.key();
    if (key == "name") field.read(out.name);
    else if (key == "generateName") field.read(out.generate_name);
    else if (key == "namespace") field.read(out.name_space);
    else if (key == "uid") field.read(out.uid);
    else if (key == "deletionTimestamp") out.deleting = !field.is_null();
    else if (key == "labels") field.read(out.labels);
    else if (key == "annotations") field.read(out.annotations);
    else if (key == "ownerReferences") field.items([&](const Field& item) { read_owner(item, out); });
  });
}

} // namespace

JobSet decode_jobset(const Json& object) {
  JobSet out;
  const Field root(object, out.type_errors);
  root.members([&](const Field& field) {
    if (field.key() == "metadata") read_object_metadata(field, out);
    else if (field.key() == "spec") read_spec(field, out);
    else if (field.key() == "status") field.read_member("terminalState", out.terminal_state);
  });
  return out;
}

} // namespace fluxhook::admission
