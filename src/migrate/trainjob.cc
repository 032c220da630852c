#include <algorithm>
#include <string>

#include "fluxhook/flux/settings.h"
#include "migrate/migration.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kApi = "trainer.kubeflow.org/v1alpha1";
constexpr std::string_view kAncestor = "trainer.kubeflow.org/trainjob-ancestor-step";
constexpr std::string_view kWorldSize = "WORLD_SIZE";
constexpr std::string_view kTrainer = "node"; ///< the container that Trainer gives the job's command to

bool is_ours(const Member& member) { return member.key.starts_with(flux::kPrefix); }

/// The labels or annotations of an object that are fluxhook's, or the others.
Node part_of(const Node& metadata, std::string_view key, bool ours) {
  Node part = object_node({});
  if (const Node* const all = metadata.find(key))
    std::ranges::copy_if(all->members, std::back_inserter(part.members),
                         [&](const Member& member) { return is_ours(member) == ours; });
  return part;
}

Node metadata_of(const Node& metadata, bool ours) {
  Node result = object_node({});
  for (const std::string_view key : {"labels", "annotations"})
    if (Node part = part_of(metadata, key, ours); !part.members.empty()) put(result, key, std::move(part));
  return result;
}

/// A runtime has a name of its own, also for TrainJobs whose names are generated.
std::string runtime_name(const Node& metadata) {
  std::string name(metadata.get("name").empty() ? metadata.get("generateName") : metadata.get("name"));
  while (name.ends_with('-') || name.ends_with('.'))
    name.pop_back();
  return name;
}

/// What is the TrainJob's to say, taken out of the JobSet.
struct Taken {
  Node nodes, command;
  std::vector<Node> env;       ///< what depends on its number of nodes
  std::vector<Member> members; ///< suspend, managedBy
};

/// Trainer gives the container `node` the TrainJob's command.
Node* main_container(Node& pod, std::string_view name) {
  Node* const main = named(pod.find("containers"), name);
  if (main != nullptr) put(*main, "name", text_node(kTrainer));
  return main;
}

/// A runtime serves TrainJobs of any size.
std::vector<Node> take_sizes(Node& container) {
  Node* const env = container.find("env");
  const Node* const size = named(env, kWorldSize);
  if (size == nullptr) return {};
  std::vector<Node> taken{*size};
  std::erase_if(env->items, [](const Node& entry) { return entry.get("name") == kWorldSize; });
  return taken;
}

Taken take(Node& jobset, std::string_view main_name, bool torch) {
  Taken taken;
  Node& spec = object_at(jobset, "spec");
  for (const std::string_view key : {"suspend", "managedBy"}) {
    if (const Node* const value = spec.find(key)) taken.members.push_back({std::string(key), {}, *value});
    erase(spec, key);
  }
  Node& job_template = object_at(list_at(spec, "replicatedJobs").items.front(), "template");
  put(object_at(object_at(job_template, "metadata"), "labels"), kAncestor, text_node("trainer"));
  order_members(job_template, {"metadata", "spec"});
  Node& job = object_at(job_template, "spec");
  taken.nodes = *job.find("parallelism");
  erase(job, "parallelism");
  erase(job, "completions");
  Node* const main = main_container(object_at(object_at(job, "template"), "spec"), main_name);
  if (main != nullptr && torch) taken.env = take_sizes(*main);
  if (main == nullptr || main->find("command") == nullptr) return taken;
  taken.command = *main->find("command");
  erase(*main, "command");
  return taken;
}

Node runtime_of(const Node& jobset, const Taken& taken, bool torch) {
  Node policy = object_node({{"numNodes", taken.nodes}});
  if (torch) put(policy, "torch", object_node({}));
  const Node& metadata = *jobset.find("metadata");
  Node own = object_node({{"name", text_node(runtime_name(metadata))}});
  if (const Node* const name_space = metadata.find("namespace")) put(own, "namespace", *name_space);
  Node ours = metadata_of(metadata, true);
  if (Node* const annotations = ours.find("annotations"))
    erase(*annotations, std::string(flux::kPrefix) + "container"); // it is `node` now
  if (is_blank(ours.find("annotations"))) erase(ours, "annotations");
  return object_node(
      {{"apiVersion", text_node(kApi)},
       {"kind", text_node("TrainingRuntime")},
       {"metadata", own},
       {"spec",
        object_node({{"mlPolicy", policy},
                     {"template", object_node({{"metadata", ours}, {"spec", *jobset.find("spec")}})}})}});
}

Node job_of(const Node& jobset, const Taken& taken, std::int64_t processes) {
  const Node& metadata = *jobset.find("metadata");
  Node own = object_node({});
  for (const std::string_view key : {"name", "generateName", "namespace"})
    if (const Node* const value = metadata.find(key)) put(own, key, *value);
  for (Member& member : metadata_of(metadata, false).members)
    put(own, member.key, std::move(member.value));
  Node trainer = object_node({{"numNodes", taken.nodes}});
  if (processes > 0) put(trainer, "numProcPerNode", number_node(processes));
  if (!taken.command.items.empty()) put(trainer, "command", taken.command);
  if (!taken.env.empty()) put(trainer, "env", list_node(taken.env));
  Node spec = object_node({});
  for (const Member& member : taken.members)
    put(spec, member.key, member.value);
  put(spec, "runtimeRef",
      object_node({{"apiGroup", text_node("trainer.kubeflow.org")},
                   {"kind", text_node("TrainingRuntime")},
                   {"name", text_node(runtime_name(metadata))}}));
  put(spec, "trainer", std::move(trainer));
  return object_node({{"apiVersion", text_node(kApi)},
                      {"kind", text_node("TrainJob")},
                      {"metadata", own},
                      {"spec", std::move(spec)}});
}

} // namespace

std::vector<Node> trainjob_of(Node jobset, const Migration& migration) {
  const Taken taken = take(jobset, migration.main, migration.torch);
  return {runtime_of(jobset, taken, migration.torch), job_of(jobset, taken, migration.torch_processes)};
}

} // namespace fluxhook::migrate
