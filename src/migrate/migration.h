#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/migrate/migrate.h"
#include "migrate/tree.h"

namespace fluxhook::migrate {

/// One object on its way to a JobSet: its source, the JobSet as far as it has grown, and what is to be said.
class Migration {
public:
  /// Both have to outlive it.
  Migration(const Node& source, Target target);

  [[nodiscard]] const Node& source() const { return source_; }
  [[nodiscard]] Target target() const { return target_; }

  // The parts of the JobSet.
  [[nodiscard]] Node& metadata() { return object_at(jobset_, "metadata"); }
  [[nodiscard]] Node& spec() { return object_at(jobset_, "spec"); }
  [[nodiscard]] Node& replicated_job() { return list_at(spec(), "replicatedJobs").items.front(); }
  [[nodiscard]] Node& job() { return object_at(object_at(replicated_job(), "template"), "spec"); }
  [[nodiscard]] Node& pod_template() { return object_at(job(), "template"); }
  [[nodiscard]] Node& pod() { return object_at(pod_template(), "spec"); }

  /// Puts a value at a path of the JobSet; `job.`, `template.` and `pod.` stand for those parts. Returns the
  /// whole path.
  std::string put_at(std::string_view path, Node value);

  /// Says what became of a field, once.
  void note(Fate fate, std::string_view field, std::string_view text);
  /// Sets one of fluxhook's settings, for that field. A value that it would not take is for somebody to
  /// decide.
  void set(std::string_view setting, std::string_view value, std::string_view field);
  /// Puts an annotation; where the source has another value itself, that is for somebody to decide.
  void annotate(std::string_view annotation, std::string_view value);
  /// Words for `flux run`, for that field.
  void run_with(const std::vector<std::string>& words, std::string_view field);
  /// So many pods, which all run at the same time.
  void size(std::int64_t pods);
  /// `tasks` tasks on `pods` pods, where the source says `per_node`; 0: it doesn't. Sets num-proc-per-node,
  /// and, where they can't be spread evenly, run-options. Returns whether they are what all pods hold.
  bool spread(std::int64_t tasks, std::int64_t pods, std::int64_t per_node, std::string_view field);

  /// The result; the notes in the source's order.
  [[nodiscard]] Migrated finish() &&;

  bool torch = false;               ///< a TrainJob is to have Trainer's torch policy
  std::string main;                 ///< the name of the container that runs under Flux
  std::int64_t torch_processes = 0; ///< a node, for Trainer; 0: as it finds

private:
  const Node& source_;
  Target target_;
  Node jobset_;
  std::vector<Note> notes_;
  std::vector<std::string> run_options_;
  std::string run_options_field_;
};

/// "spec.a" and a key make "spec.a.key", or "spec.a[key]" where the key has dots or slashes.
[[nodiscard]] std::string field_of(std::string_view parent, std::string_view key);
[[nodiscard]] std::string field_of(std::string_view parent, std::size_t index);

/// The objects that a finished JobSet is handed out as: itself, or a TrainingRuntime and a TrainJob.
[[nodiscard]] std::vector<Node> trainjob_of(Node jobset, const Migration& migration);

// The kinds. Each takes the source's fields into the JobSet, or notes them. Error: as migrate().
[[nodiscard]] Result<void> migrate_mpijob(Migration& migration);
[[nodiscard]] Result<void> migrate_pytorchjob(Migration& migration);
[[nodiscard]] Result<void> migrate_minicluster(Migration& migration);

} // namespace fluxhook::migrate
