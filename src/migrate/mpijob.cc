#include <algorithm>
#include <array>

#include "migrate/fields.h"
#include "migrate/launcher.h"
#include "migrate/replicas.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kNoLauncher = "there is no launcher: flux run starts the tasks";

// Of kubeflow.org/v1, v2beta1 and v1alpha2; below them what was in v1alpha1 alone.
constexpr std::array kMpiRows{
    Row{"spec.mpiReplicaSpecs.*.replicas", Action::kCode, {}, {}},
    Row{"spec.mpiReplicaSpecs.*.restartPolicy", Action::kCode, {}, {}},
    Row{"spec.mpiReplicaSpecs.*.template", Action::kCode, {}, {}},
    Row{"spec.slotsPerWorker", Action::kCode, {}, {}},
    Row{"spec.runLauncherAsWorker", Action::kCode, {}, {}},
    Row{"spec.mainContainer", Action::kCode, {}, {}},
    Row{"spec.mpiImplementation",
        Action::kDrop,
        "Flux starts every MPI by PMI; it says how mpirun's words are read",
        {}},
    Row{"spec.mpiDistribution", Action::kDrop, "Flux starts every MPI by PMI", {}},
    Row{"spec.launcherCreationPolicy", Action::kDrop, kNoLauncher, {}},
    Row{"spec.sshAuthMountPath", Action::kDrop, "Flux needs no ssh", {}},
    Row{"spec.cleanPodPolicy",
        Action::kDrop,
        "a JobSet ends what still runs and keeps finished pods; spec.ttlSecondsAfterFinished removes all by "
        "time",
        {}},
    Row{"spec.backoffLimit", Action::kCode, {}, {}},
    Row{"spec.activeDeadlineSeconds", Action::kCopy, "job.activeDeadlineSeconds", {}},
    Row{"spec.template", Action::kCode, {}, {}},
    Row{"spec.replicas", Action::kCode, {}, {}},
    Row{"spec.gpus", Action::kCode, {}, {}},
    Row{"spec.gpusPerNode", Action::kCode, {}, {}},
    Row{"spec.processingUnits", Action::kCode, {}, {}},
    Row{"spec.processingUnitsPerNode", Action::kCode, {}, {}},
    Row{"spec.processingResourceType", Action::kCode, {}, {}},
    Row{"spec.launcherOnMaster", Action::kDrop, kNoLauncher, {}},
};

Result<std::int64_t> number_at(const Migration& migration, std::string_view path, std::int64_t absent) {
  return integer(at_path(migration.source(), path), absent, path);
}

void note_if_there(Migration& migration, std::string_view path, Fate fate, std::string_view text) {
  if (at_path(migration.source(), path) != nullptr) migration.note(fate, path, text);
}

/// v1alpha1: workers by a number of GPUs, or of other units; each worker has some of them, unless its
/// container has limits of its own.
Result<void> read_units(Migration& migration, MpiJob& job, std::string_view units_field,
                        std::string_view per_node_field) {
  const auto units = number_at(migration, units_field, 0);
  if (!units) return std::unexpected(units.error());
  const auto per_node = number_at(migration, per_node_field, 1);
  if (!per_node) return std::unexpected(per_node.error());
  if (*units < 1 || *per_node < 1) return fail(std::string(units_field), "must be above 0");
  const std::int64_t each = std::min(*units, *per_node);
  job.slots = each;
  job.kept.replicas = *units / each;
  if (*units % each != 0)
    migration.note(Fate::kDecide, units_field,
                   "it is no multiple of what a node has, which the operator refused");
  else migration.note(Fate::kChanged, units_field, std::string(kParallelism) + ": pods instead of units");
  note_if_there(migration, per_node_field, Fate::kChanged, "the container's limits");
  return {};
}

/// Gives the container the units as limits, where it has none of that resource.
void add_unit_limits(Migration& migration, const MpiJob& job) {
  const Node* const type = at_path(migration.source(), "spec.processingResourceType");
  const std::string_view resource = type == nullptr ? "nvidia.com/gpu" : scalar_text(type);
  Node& container = list_at(migration.pod(), "containers").items[job.kept_container];
  Node& limits = object_at(object_at(container, "resources"), "limits");
  if (limits.find(resource) == nullptr) put(limits, resource, number_node(job.slots));
  note_if_there(migration, "spec.processingResourceType", Fate::kChanged, "the container's limits");
}

/// The one template of v1alpha1, whose command is the launcher's.
Result<void> read_first_version(Migration& migration, MpiJob& job) {
  const Node* const pod_template = at_path(migration.source(), "spec.template");
  if (const auto fine = check_template(pod_template, "spec.template"); !fine) return fine;
  job.kept = Replica{"template", "spec.template", pod_template, 1};
  for (const auto& [units, per_node] : {std::pair("spec.gpus", "spec.gpusPerNode"),
                                        std::pair("spec.processingUnits", "spec.processingUnitsPerNode")}) {
    if (at_path(migration.source(), units) == nullptr) {
      note_if_there(migration, per_node, Fate::kDropped, "it counts with a number of units only");
      continue;
    }
    if (auto read = read_units(migration, job, units, per_node); !read) return read;
  }
  if (at_path(migration.source(), "spec.replicas") != nullptr) {
    const auto replicas = number_at(migration, "spec.replicas", 1);
    if (!replicas) return std::unexpected(replicas.error());
    job.kept.replicas = *replicas;
    migration.note(Fate::kCarried, "spec.replicas", kParallelism);
  }
  return {};
}

Result<void> read_replicas(Migration& migration, MpiJob& job) {
  const std::string path = "spec.mpiReplicaSpecs";
  auto found = find_replicas(migration, path, {{"Launcher", 1}, {"Worker", 0}});
  if (!found) return std::unexpected(found.error());
  if (found->empty() || found->front().word != "Launcher") return fail(path, "must have a Launcher");
  const Replica& launcher = found->front();
  const Replica* const worker = found->size() > 1 ? &found->back() : nullptr;
  note_if_there(migration, launcher.replicas_field(), Fate::kDropped, kNoLauncher);
  job.alone = worker == nullptr || worker->replicas < 1;
  if (worker != nullptr && job.alone) {
    migration.note(Fate::kDropped, worker->field, "there are no workers: the launcher's pod does the work");
    note_if_there(migration, worker->replicas_field(), Fate::kDropped, "it is 0");
  } else if (worker != nullptr) {
    note_if_there(migration, worker->replicas_field(), Fate::kCarried, kParallelism);
    job.gone = launcher;
  }
  job.kept = job.alone ? launcher : *worker;
  return {};
}

void read_main_container(Migration& migration, MpiJob& job) {
  const std::string_view name = scalar_text(at_path(migration.source(), "spec.mainContainer"));
  job.kept_container = job.kept.container_index(name);
  if (job.gone) job.gone_container = job.gone->container_index(name);
  note_if_there(migration, "spec.mainContainer", Fate::kChanged, "the container that runs under Flux");
}

Result<void> read_slots(Migration& migration, MpiJob& job) {
  const auto slots = number_at(migration, "spec.slotsPerWorker", job.slots);
  if (!slots) return std::unexpected(slots.error());
  if (*slots < 1) return fail("spec.slotsPerWorker", "must be above 0");
  job.slots = *slots;
  job.pods = job.alone ? 1 : job.kept.replicas;
  constexpr std::string_view kField = "spec.runLauncherAsWorker";
  const Node* const works = at_path(migration.source(), kField);
  job.launcher_works = job.gone.has_value() && is_true(works);
  if (job.launcher_works) ++job.pods;
  if (works != nullptr)
    migration.note(job.launcher_works ? Fate::kChanged : Fate::kDropped, kField,
                   job.launcher_works ? "one more pod, like the workers" : kNoLauncher);
  return {};
}

/// Whose mpirun it can be: versions before v2beta1 do not say.
std::vector<Mpi> implementations(const Migration& migration) {
  const std::string_view name = scalar_text(at_path(migration.source(), "spec.mpiImplementation"));
  const std::string_view distribution = scalar_text(at_path(migration.source(), "spec.mpiDistribution"));
  if (name == "Intel" || name == "MPICH" || distribution == "IntelMPI" || distribution == "MPICH")
    return {Mpi::kHydra};
  if (!name.empty() || !distribution.empty() || migration.source().get("apiVersion").ends_with("v2beta1"))
    return {Mpi::kOpenMpi};
  return {Mpi::kOpenMpi, Mpi::kHydra};
}

} // namespace

Result<void> migrate_mpijob(Migration& migration) {
  apply_rows(migration, {common_rows(), run_policy_rows(), kMpiRows});
  MpiJob job;
  const bool first_version = at_path(migration.source(), "spec.template") != nullptr;
  if (auto read = first_version ? read_first_version(migration, job) : read_replicas(migration, job); !read)
    return read;
  read_main_container(migration, job);
  if (auto read = read_slots(migration, job); !read) return read;
  job.mpi = implementations(migration);
  if (job.pods < 1) return fail("spec.replicas", "must be above 0");
  migration.size(job.pods);
  carry_template(migration, job.kept);
  migration.main = job.kept.container(job.kept_container).get("name");
  const bool units = at_path(migration.source(), "spec.gpus") != nullptr ||
                     at_path(migration.source(), "spec.processingUnits") != nullptr;
  if (first_version && units) add_unit_limits(migration, job);
  else
    note_if_there(migration, "spec.processingResourceType", Fate::kDropped,
                  "it counts with a number of units only");
  if (auto carried = carry_launcher(migration, job); !carried) return carried;
  return apply_run_policy(migration, job.pods);
}

} // namespace fluxhook::migrate
