#include "select.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <unordered_map>

#include "fluxhook/base/text.h"
#include "fluxhook/flux/injected.h"
#include "fluxhook/flux/setting_table.h"
#include "paths.h"

namespace fluxhook::flux {
namespace {

// Trainer puts it on the Job template's metadata (kubeflow/trainer, pkg/constants).
constexpr std::string_view kTrainerStep = "trainer.kubeflow.org/trainjob-ancestor-step";

/// The first names of a list: it may be as long as a caller likes.
template <class List>
std::string names_of(const List& list) {
  constexpr std::size_t kMost = 20;
  std::string out;
  for (const auto& one : list | std::views::take(kMost))
    out.append(out.empty() ? "" : ", ").append(in_quotes(one.name));
  return list.size() <= kMost ? out : out + " and " + std::to_string(list.size() - kMost) + " more";
}

std::vector<std::size_t> named_jobs(const k8s::JobSet& jobset, const Settings& settings,
                                    std::vector<Finding>& findings) {
  const auto& jobs = jobset.replicated_jobs;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    by_name.try_emplace(jobs[i].name, i);
  std::vector<std::size_t> chosen;
  for (const auto& name : settings.replicated_jobs) {
    if (const auto job = by_name.find(name); job != by_name.end()) {
      chosen.push_back(job->second);
    } else if (findings.size() < kMaxTold) {
      findings.push_back({Rule::kNoReplicatedJob, k8s::not_found(annotation_field("replicated-jobs"), name,
                                                                 "the JobSet has " + names_of(jobs))});
    }
  }
  return chosen;
}

std::vector<std::size_t> choose_jobs(const k8s::JobSet& jobset, const Settings& settings,
                                     std::vector<Finding>& findings) {
  const auto& jobs = jobset.replicated_jobs;
  if (!settings.replicated_jobs.empty()) return named_jobs(jobset, settings, findings);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].name == "node") return {i};
  }
  std::vector<std::size_t> trainers;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& labels = jobs[i].metadata.labels;
    if (labels && labels->get(kTrainerStep) == "trainer") trainers.push_back(i);
  }
  if (trainers.size() == 1) return trainers;
  if (jobs.size() == 1) return {0};
  if (jobs.empty()) {
    findings.push_back(
        {Rule::kAmbiguousReplicatedJob,
         k8s::required("spec.replicatedJobs", "a Flux instance needs at least one replicatedJob")});
  } else {
    findings.push_back({Rule::kAmbiguousReplicatedJob,
                        k8s::required(annotation_field("replicated-jobs"),
                                      "must name those that form the Flux instance, of " + names_of(jobs) +
                                          ", as none of them is called \"node\"")});
  }
  return {};
}

std::optional<std::size_t> choose_container(const k8s::ReplicatedJob& job, std::size_t job_index,
                                            const Settings& settings, std::vector<Finding>& findings) {
  const auto& containers = job.job.pod.spec.containers;
  const std::string_view wanted = settings.container.empty() ? "node" : std::string_view(settings.container);
  const auto found = std::ranges::find(containers, wanted, &k8s::Container::name);
  if (found != containers.end()) return static_cast<std::size_t>(found - containers.begin());
  if (!settings.container.empty()) {
    findings.push_back({Rule::kNoContainer, k8s::not_found(annotation_field("container"), settings.container,
                                                           "replicatedJob " + in_quotes(job.name) + " has " +
                                                               names_of(containers))});
  } else if (containers.size() == 1) {
    return 0;
  } else if (containers.empty()) {
    findings.push_back({Rule::kAmbiguousContainer, k8s::required(pod_field(job_index) + ".containers",
                                                                 "Flux needs a container to run in")});
  } else {
    findings.push_back({Rule::kAmbiguousContainer,
                        k8s::required(annotation_field("container"),
                                      "must name the one that runs under Flux, of " + names_of(containers) +
                                          ", as none of them is called \"node\"")});
  }
  return {};
}

void note_unknown(std::string_view name, std::vector<Finding>& findings) {
  std::vector<std::string_view> known;
  for (const auto& row : setting_table())
    known.push_back(row.name);
  constexpr auto kInject = kInjectLabel.substr(kPrefix.size());
  known.push_back(kInject);
  std::string detail = "is no setting of fluxhook";
  if (name == kInject) {
    detail = "must be a label, not an annotation";
  } else if (const auto near = nearest(name, known); !near.empty()) {
    detail.append(near == kInject ? "; did you mean the label " : "; did you mean ")
        .append(kPrefix)
        .append(near)
        .append("?");
  }
  findings.push_back({Rule::kUnknownSetting, k8s::forbidden(annotation_field(name), std::move(detail))});
}

void note_labels(const k8s::StringMap& labels, std::vector<Finding>& findings) {
  for (const auto& [key, value] : labels.entries) {
    if (key.starts_with(kPrefix) && find_setting(key.substr(kPrefix.size())) != nullptr)
      findings.push_back({Rule::kUnknownSetting, k8s::forbidden("metadata.labels[" + std::string(key) + "]",
                                                                "must be an annotation, not a label")});
  }
}

/// The key of a map of strings that a type error is about: metadata.labels[KEY]; empty: another field.
std::string_view key_of(std::string_view field, std::string_view map) {
  if (!field.starts_with(map) || !field.ends_with(']')) return {};
  field.remove_prefix(map.size());
  field.remove_suffix(1);
  return field;
}

// A value that is no string reads as absent, but its key can be told from a known one all the same.
void note_mistyped(const k8s::JobSet& jobset, std::vector<Finding>& findings) {
  k8s::StringMap labels;
  for (const auto& error : jobset.type_errors) {
    if (const auto label = key_of(error.field, "metadata.labels["); !label.empty())
      labels.entries.emplace_back(label, std::string_view());
    const auto key = key_of(error.field, "metadata.annotations[");
    if (!key.starts_with(kPrefix) || key == kInjectedAnnotation) continue;
    const auto name = key.substr(kPrefix.size());
    if (find_setting(name) == nullptr) note_unknown(name, findings);
  }
  note_labels(labels, findings);
}

Rule rule_of(const SettingInfo& row) {
  return row.name == "num-proc-per-node" ? Rule::kNumProcPerNode : Rule::kMalformedSetting;
}

// An object created again keeps the settings that a server's defaults gave it then.
void take_injected(std::string_view text, Outcome& outcome) {
  const auto injected = parse_injected(text);
  if (!injected) {
    outcome.findings.push_back(
        {Rule::kMalformedInjected,
         k8s::invalid(annotation_field("injected"), text,
                      injected.error().text() + "; remove it to have it written anew")});
    return;
  }
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    if (injected->set[i]) continue;
    setting_table()[i].copy(injected->settings, outcome.settings);
    outcome.origins[i] = Origin::kInjected;
  }
}

} // namespace

std::vector<Member> select_members(const k8s::JobSet& jobset, const Settings& settings,
                                   std::vector<Finding>& findings) {
  std::vector<Member> members;
  for (const auto index : choose_jobs(jobset, settings, findings)) {
    const auto& job = jobset.replicated_jobs[index];
    if (const auto container = choose_container(job, index, settings, findings))
      members.push_back({&job, &job.job.pod.spec.containers[*container], index, *container});
  }
  return members;
}

namespace {

/// Of a template in a JobSet without the label: what selects is the JobSet's own.
void note_template(const k8s::TemplateMetadata& metadata, const std::string& template_field,
                   const std::string& label, std::vector<Finding>& findings) {
  const auto note = [&](const std::optional<k8s::StringMap>& map, std::string_view name) {
    const auto value = map ? map->get(label) : std::string_view();
    if (value.empty() || declines(value)) return;
    findings.push_back({Rule::kUnknownLabel,
                        k8s::forbidden(template_field + ".metadata." + std::string(name) + "[" + label + "]",
                                       "has no effect here: must be in the JobSet's own metadata.labels")});
  };
  note(metadata.labels, "labels");
  note(metadata.annotations, "annotations");
}

void note_templates(const k8s::JobSet& jobset, const std::string& label, std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < jobset.replicated_jobs.size(); ++i) {
    const auto& job = jobset.replicated_jobs[i];
    note_template(job.metadata, replicated_job_field(i) + ".template", label, findings);
    note_template(job.job.pod.metadata, job_field(i) + ".template", label, findings);
  }
}

} // namespace

void check_labels(const k8s::JobSet& jobset, const Defaults& defaults, bool carries_label,
                  std::vector<Finding>& findings) {
  static constexpr k8s::StringMap kNone;
  const auto& labels = jobset.labels ? *jobset.labels : kNone;
  for (const auto& [key, value] : labels.entries) {
    if (!key.starts_with(kPrefix) || key == defaults.label) continue;
    const auto name = key.substr(kPrefix.size());
    if (find_setting(name) != nullptr) continue; // of a JobSet that is selected an error, and else no matter
    std::string detail = "is no label of fluxhook";
    const std::string_view label = defaults.label;
    const std::array<std::string_view, 1> known{label.starts_with(kPrefix) ? label.substr(kPrefix.size())
                                                                           : std::string_view()};
    const bool near = !nearest(name, known).empty();
    if (carries_label && !near) continue; // somebody's own
    if (near) detail.append("; did you mean ").append(label).append("?");
    else detail.append(": ").append(label).append(" selects a JobSet");
    findings.push_back({Rule::kUnknownLabel,
                        k8s::forbidden("metadata.labels[" + std::string(key) + "]", std::move(detail))});
  }
  if (labels.find(defaults.label) != nullptr) return;
  note_templates(jobset, defaults.label, findings);
  if (jobset.annotation(defaults.label).empty()) return;
  findings.push_back({Rule::kUnknownLabel, k8s::forbidden("metadata.annotations[" + defaults.label + "]",
                                                          "must be a label, not an annotation")});
}

void read_annotations(const k8s::JobSet& jobset, const Defaults& defaults, Outcome& outcome) {
  outcome.settings = defaults.settings;
  note_mistyped(jobset, outcome.findings);
  if (jobset.labels) note_labels(*jobset.labels, outcome.findings);
  if (!jobset.annotations) return;
  if (const auto* injected = jobset.annotations->find(kInjectedAnnotation)) take_injected(*injected, outcome);
  for (const auto& [key, value] : jobset.annotations->entries) {
    if (!key.starts_with(kPrefix) || key == kInjectedAnnotation) continue;
    const auto name = key.substr(kPrefix.size());
    const auto* row = find_setting(name);
    if (row == nullptr) {
      note_unknown(name, outcome.findings);
    } else if (auto fault = row->read(value, outcome.settings)) {
      fault->field = annotation_field(name);
      outcome.findings.push_back({rule_of(*row), std::move(*fault)});
    } else {
      outcome.origins[setting_index(*row)] = Origin::kAnnotation;
    }
  }
}

void read_env(const Member& lead, Outcome& outcome) {
  if (!lead.container->env) return;
  const auto& env = *lead.container->env;
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const auto& row = setting_table()[i];
    if (row.env.empty() || outcome.origins[i] == Origin::kAnnotation) continue;
    const auto variable = std::ranges::find(env, row.env, &k8s::EnvVar::name);
    if (variable == env.end() || variable->source != k8s::EnvVar::Source::kLiteral) continue;
    if (auto fault = row.read(variable->value, outcome.settings)) {
      const auto index = static_cast<std::size_t>(variable - env.begin());
      fault->field = item(container_field(lead.job_index, lead.container_index) + ".env", index) + ".value";
      outcome.findings.push_back({rule_of(row), std::move(*fault)});
    } else {
      outcome.origins[i] = Origin::kEnv;
    }
  }
}

} // namespace fluxhook::flux
