#include "fluxhook/flux/plan.h"

#include <algorithm>
#include <array>

#include "checks.h"
#include "fluxhook/flux/injected.h"
#include "fluxhook/flux/names.h"
#include "fluxhook/flux/setting_table.h"
#include "fluxhook/k8s/names.h"
#include "inject.h"
#include "paths.h"
#include "select.h"

namespace fluxhook::flux {
namespace {

bool carries_label(const k8s::JobSet& jobset, const Defaults& defaults) {
  return selects(jobset.label(defaults.label));
}

bool is_injected(const k8s::JobSet& jobset) { return !jobset.annotation(kInjectedAnnotation).empty(); }

std::string label_field(const Defaults& defaults) { return "metadata.labels[" + defaults.label + "]"; }

// A value that nobody writes to mean "no": most likely a slip, and the JobSet would silently run without
// Flux.
void check_label_value(const k8s::JobSet& jobset, const Defaults& defaults, Outcome& outcome) {
  if (!jobset.labels) return;
  const auto* value = jobset.labels->find(defaults.label);
  if (value == nullptr || declines(*value)) return;
  outcome.findings.push_back(
      {Rule::kLabelValue, k8s::invalid(label_field(defaults), *value,
                                       "the JobSet is left alone: only true and enabled select it")});
}

// Kubeflow Trainer >= 2.2 sets up JobSets of its own, with the same names.
bool set_up_by_trainer(const k8s::JobSet& jobset) {
  if (jobset.controller.kind != "TrainJob" || is_injected(jobset)) return false;
  return std::ranges::any_of(jobset.replicated_jobs, [](const k8s::ReplicatedJob& job) {
    const auto& inits = job.job.pod.spec.init_containers;
    return inits && std::ranges::contains(*inits, kInstaller, &k8s::Container::name);
  });
}

bool skipped(const k8s::JobSet& jobset, Outcome& outcome) {
  if (jobset.deleting) {
    outcome.findings.push_back(
        {Rule::kSkippedDeleting,
         k8s::forbidden("metadata.deletionTimestamp", "the JobSet is being deleted: left alone")});
    return true;
  }
  if (set_up_by_trainer(jobset)) {
    outcome.findings.push_back(
        {Rule::kSkippedTrainer,
         k8s::forbidden("metadata.ownerReferences",
                        "Trainer's own Flux plugin has set up this JobSet: left alone")});
    return true;
  }
  return false;
}

void note_type_errors(const k8s::JobSet& jobset, Outcome& outcome) {
  for (const auto& error : jobset.type_errors)
    outcome.findings.push_back({Rule::kWrongType, error});
}

std::string final_name(const Request& request) {
  const auto& jobset = *request.object;
  if (!jobset.name.empty() || jobset.generate_name.empty()) return std::string(jobset.name);
  return k8s::generated_name(jobset.generate_name, request.uid);
}

// Whether there are pods to count, and not too many; a field of a wrong type reads as absent.
bool is_countable(const Outcome& outcome) {
  static constexpr std::array kUncountable{Rule::kWrongType, Rule::kNoPods, Rule::kTooManyPods};
  return !outcome.members.empty() && std::ranges::none_of(outcome.findings, [](const Finding& one) {
    return std::ranges::contains(kUncountable, one.rule);
  });
}

/// Everything about a labelled JobSet but its changes.
void decide(const Request& request, const Defaults& defaults, Outcome& outcome) {
  const auto& jobset = *request.object;
  outcome.name = final_name(request);
  note_type_errors(jobset, outcome);
  read_annotations(jobset, defaults, outcome);
  outcome.members = select_members(jobset, outcome.settings, outcome.findings);
  if (!outcome.members.empty()) read_env(outcome.members.front(), outcome);
  check_instance(jobset, outcome);
  if (!is_countable(outcome)) return;
  std::vector<k8s::FieldError> faults;
  outcome.resources = compute_resources(outcome.name, outcome.members, outcome.settings, faults);
  for (const auto& fault : faults)
    outcome.findings.push_back(
        {fault.type == k8s::FieldError::Type::kTypeInvalid ? Rule::kWrongType : Rule::kGpuShare, fault});
}

void create(const Request& request, const Defaults& defaults, Outcome& outcome) {
  const bool labelled = carries_label(*request.object, defaults);
  check_labels(*request.object, defaults, labelled, outcome.findings);
  if (!labelled) return check_label_value(*request.object, defaults, outcome);
  if (skipped(*request.object, outcome)) return;
  outcome.selected = true;
  decide(request, defaults, outcome);
  if (!outcome.denied()) inject(*request.object, outcome);
}

// Settings are fixed when a JobSet is injected: whoever asks for others later is told.
void warn_of_changed_settings(const k8s::JobSet& now, const k8s::JobSet& old, const Defaults& defaults,
                              Outcome& outcome) {
  for (const auto& row : setting_table()) {
    const auto key = std::string(kPrefix).append(row.name);
    const auto* before = old.annotations ? old.annotations->find(key) : nullptr;
    const auto* after = now.annotations ? now.annotations->find(key) : nullptr;
    if (before == nullptr ? after == nullptr : after != nullptr && *before == *after) continue;
    Settings asked = outcome.settings;
    bool malformed = false;
    if (after != nullptr) malformed = row.read(*after, asked).has_value();
    else row.copy(defaults.settings, asked);
    if (!malformed && asked == outcome.settings) continue;
    constexpr auto kDetail = "has no effect on a JobSet that exists: create it again to change it";
    const auto field = annotation_field(row.name);
    outcome.findings.push_back(
        {Rule::kSettingChanged, after != nullptr
                                    ? k8s::invalid(field, *after, kDetail)
                                    : k8s::forbidden(field, std::string("taking it away ") + kDetail)});
  }
}

// The instance as it was injected: by the settings recorded then, else by the old object's own.
void recall(const k8s::JobSet& old, const Defaults& defaults, Outcome& outcome) {
  Outcome then;
  if (auto injected = parse_injected(old.annotation(kInjectedAnnotation))) {
    then.settings = std::move(injected->settings);
    then.origins.fill(Origin::kInjected);
  } else {
    read_annotations(old, defaults, then);
  }
  then.members = select_members(old, then.settings, then.findings);
  outcome.settings = std::move(then.settings);
  outcome.origins = then.origins;
  outcome.members = std::move(then.members);
}

void update(const Request& request, const Defaults& defaults, Outcome& outcome) {
  const auto& now = *request.object;
  const auto& old = *request.old;
  const bool labelled = carries_label(now, defaults);
  const bool labelled_before = carries_label(old, defaults);
  if (!labelled && !labelled_before) return check_label_value(now, defaults, outcome);
  if (skipped(now, outcome)) return;
  outcome.name = now.name;
  if (is_injected(old)) {
    outcome.selected = true;
    note_type_errors(now, outcome); // what can't be read can't be put anything into
    recall(old, defaults, outcome);
    warn_of_changed_settings(now, old, defaults, outcome);
    restore(now, old, outcome);
  } else if (!labelled_before) {
    outcome.findings.push_back(
        {Rule::kInjectOnUpdate,
         k8s::forbidden(
             label_field(defaults),
             "a JobSet that exists can't become a Flux cluster: delete it and create it with the label")});
  } else {
    outcome.findings.push_back(
        {Rule::kLabelledBefore,
         k8s::forbidden(label_field(defaults),
                        "the JobSet was created without fluxhook and is left alone: delete it "
                        "and create it again to have it injected")});
  }
}

void check_injection(const Outcome& outcome, const Request& request, std::vector<Finding>& findings) {
  const auto note = [&](std::string field, const std::string& what) {
    findings.push_back(
        {Rule::kNotInjected,
         k8s::required(std::move(field), what + " is missing: the JobSet did not pass through "
                                                "fluxhook's mutating webhook, or was changed after it")});
  };
  if (!is_injected(*request.object)) note(annotation_field("injected"), "the annotation of the injection");
  for (const auto& member : outcome.members) {
    if (!is_wrapped(*member.container))
      note(container_field(member.job_index, member.container_index) + ".command", "fluxhook's entrypoint");
  }
}

} // namespace

bool Outcome::denied() const {
  return std::ranges::any_of(findings, [](const Finding& one) { return one.severity() == Severity::kError; });
}

Result<Instance> recall_instance(const k8s::JobSet& jobset) {
  const auto error_of = [](const k8s::FieldError& error) { return fail(error.field, error.message()); };
  auto injected = parse_injected(jobset.annotation(kInjectedAnnotation));
  if (!injected) return fail(annotation_field("injected"), injected.error().text());
  if (!jobset.type_errors.empty()) return error_of(jobset.type_errors.front());
  Instance instance{.settings = std::move(injected->settings), .members = {}};
  std::vector<Finding> findings;
  instance.members = select_members(jobset, instance.settings, findings);
  if (!findings.empty()) return error_of(findings.front().error);
  return instance;
}

Outcome mutate(const Request& request, const Defaults& defaults) {
  Outcome outcome;
  request.operation == Operation::kCreate ? create(request, defaults, outcome)
                                          : update(request, defaults, outcome);
  if (outcome.denied()) outcome.changes.clear();
  return outcome;
}

Outcome validate(const Request& request, const Defaults& defaults) {
  Outcome outcome = mutate(request, defaults);
  outcome.changes.clear();
  if (outcome.selected && request.operation == Operation::kCreate && !outcome.denied())
    check_injection(outcome, request, outcome.findings);
  // The mutating webhook has said these already.
  std::erase_if(outcome.findings, [](const Finding& one) { return one.severity() == Severity::kWarning; });
  return outcome;
}

} // namespace fluxhook::flux
