#include <array>
#include <string>

#include "migrate/fields.h"
#include "migrate/shapes.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kMultiKueue = "kueue.x-k8s.io/multikueue";

constexpr std::array kRunPolicyRows{
    Row{"spec.runPolicy.cleanPodPolicy",
        Action::kDrop,
        "a JobSet ends what still runs and keeps finished pods; spec.ttlSecondsAfterFinished removes all by "
        "time",
        {}},
    Row{"spec.runPolicy.ttlSecondsAfterFinished", Action::kCopy, "spec.ttlSecondsAfterFinished", {}},
    Row{"spec.runPolicy.activeDeadlineSeconds", Action::kCopy, "job.activeDeadlineSeconds", {}},
    Row{"spec.runPolicy.backoffLimit", Action::kCode, {}, {}},
    Row{"spec.runPolicy.suspend", Action::kCopy, "spec.suspend", {}},
    Row{"spec.runPolicy.managedBy", Action::kCode, {}, {}},
    Row{"spec.runPolicy.schedulingPolicy.minAvailable", Action::kCode, {}, {}},
    Row{"spec.runPolicy.schedulingPolicy.queue",
        Action::kDecide,
        "it is a queue of Volcano; one of Kueue is named by the label kueue.x-k8s.io/queue-name",
        {}},
    Row{"spec.runPolicy.schedulingPolicy.minResources",
        Action::kDrop,
        "Kueue counts the pods' own resources",
        {}},
    Row{"spec.runPolicy.schedulingPolicy.priorityClass", Action::kCopy, "pod.priorityClassName", {}},
    Row{"spec.runPolicy.schedulingPolicy.scheduleTimeoutSeconds",
        Action::kDrop,
        "Kueue's waitForPodsReady does this for a whole cluster",
        {}},
};

void carry_managed_by(Migration& migration, const Node* value) {
  constexpr std::string_view kField = "spec.runPolicy.managedBy";
  const std::string_view by = scalar_text(value);
  if (value == nullptr) return;
  if (by == kMultiKueue)
    return migration.note(Fate::kCarried, kField, migration.put_at("spec.managedBy", *value));
  if (by.empty() || by.starts_with("kubeflow.org/"))
    return migration.note(Fate::kDropped, kField, "the operator's own controller");
  migration.note(Fate::kDecide, kField, "JobSet leaves an object to kueue.x-k8s.io/multikueue only");
}

} // namespace

std::span<const Row> run_policy_rows() { return kRunPolicyRows; }

Result<void> apply_run_policy(Migration& migration, std::int64_t pods) {
  const Node& source = migration.source();
  for (const std::string_view field : {"spec.runPolicy.backoffLimit", "spec.backoffLimit"}) {
    const Node* const value = at_path(source, field);
    if (value == nullptr) continue;
    if (value->kind == Node::Kind::kNull) {
      migration.note(Fate::kDropped, field, "it is null");
      continue;
    }
    if (const auto wrong = wrong_integer(*value, 0)) {
      migration.note(Fate::kDecide, field, "it is left out: " + *wrong);
      continue;
    }
    migration.put_at("spec.failurePolicy.maxRestarts", *value);
    migration.note(Fate::kChanged, field,
                   "spec.failurePolicy.maxRestarts: a failure restarts all pods, not one of them");
  }
  constexpr std::string_view kAvailable = "spec.runPolicy.schedulingPolicy.minAvailable";
  if (const Node* const value = at_path(source, kAvailable)) {
    const auto available = integer(value, pods, kAvailable);
    if (!available) return std::unexpected(available.error());
    if (*available >= pods)
      migration.note(Fate::kDropped, kAvailable, "all pods have to run, which Kueue sees to");
    else
      migration.note(Fate::kDecide, kAvailable,
                     "the size of a Flux cluster is fixed: all " + std::to_string(pods) +
                         " pods have to run");
  }
  carry_managed_by(migration, at_path(source, "spec.runPolicy.managedBy"));
  return {};
}

} // namespace fluxhook::migrate
