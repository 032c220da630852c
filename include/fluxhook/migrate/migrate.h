/// Module migrate: jobs of Kubeflow's training operators and of the flux-operator become JobSets for
/// fluxhook, or TrainJobs. Pure: a document in, documents and notes out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::migrate {

/// What an object becomes.
enum class Target : std::uint8_t {
  kJobSet,   ///< a labelled JobSet of jobset.x-k8s.io/v1alpha2
  kTrainJob, ///< a TrainingRuntime whose JobSets have the label, and a TrainJob, of
             ///< trainer.kubeflow.org/v1alpha1
};

/// What becomes of a field.
enum class Fate : std::uint8_t {
  kCarried, ///< the result says the same
  kDropped, ///< the result says nothing of it, and loses nothing that matters, or the note says what
  kChanged, ///< the result says it in another way, with another meaning in a corner
  kDecide,  ///< somebody has to decide before the result can be trusted
};
[[nodiscard]] std::string_view fate_word(Fate fate); ///< "carried", "dropped", "changed", "decide"

/// What became of one field of the source.
struct Note {
  Fate fate = Fate::kDropped;
  std::string field;     ///< path in the source: spec.runPolicy.suspend
  manifest::Position at; ///< of its key; in the source's file
  std::string text;      ///< of a carried one: where to, a path in the JobSet; else what and why
};

/// The result of a migration.
struct Migrated {
  std::vector<manifest::Node> objects; ///< in the order in which they are to be created
  manifest::Node jobset;   ///< the JobSet that it is, or that Trainer makes of it: what the webhook would see
  std::vector<Note> notes; ///< of every field of the source that is there, in its order
};

/// Whether migrate() is for an object of this kind: MPIJob and PyTorchJob of kubeflow.org, MiniCluster of
/// flux-framework.org, whatever their version.
[[nodiscard]] bool can_migrate(const manifest::Node& object);

/// Migrates such an object. Error: it has no form that its CRD would take, or an unknown version; `where` is
/// the field, as manifest::locate() takes it.
[[nodiscard]] Result<Migrated> migrate(const manifest::Node& object, Target target);

} // namespace fluxhook::migrate
