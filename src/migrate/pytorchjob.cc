#include <array>
#include <string>
#include <vector>

#include "fluxhook/base/text.h"
#include "migrate/fields.h"
#include "migrate/replicas.h"
#include "migrate/shapes.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kMain = "pytorch";             ///< the container that the operator looks for
constexpr std::string_view kPortName = "pytorchjob-port"; ///< its port for rank 0
constexpr std::int64_t kPort = 23456;
constexpr std::string_view kIndexField = "metadata.annotations['batch.kubernetes.io/job-completion-index']";
constexpr std::string_view kNameField = "metadata.labels['jobset.sigs.k8s.io/jobset-name']";
constexpr std::string_view kFixed =
    "the size of a Flux cluster is fixed: it has as many pods as the replicas say";

constexpr std::array kPyTorchRows{
    Row{"spec.pytorchReplicaSpecs.*.replicas", Action::kCode, {}, {}},
    Row{"spec.pytorchReplicaSpecs.*.restartPolicy", Action::kCode, {}, {}},
    Row{"spec.pytorchReplicaSpecs.*.template", Action::kCode, {}, {}},
    Row{"spec.nprocPerNode", Action::kCode, {}, {}},
    Row{"spec.elasticPolicy.minReplicas", Action::kDecide, kFixed, {}},
    Row{"spec.elasticPolicy.maxReplicas", Action::kDecide, kFixed, {}},
    Row{"spec.elasticPolicy.metrics", Action::kDecide, kFixed, {}},
    Row{"spec.elasticPolicy.nProcPerNode", Action::kCode, {}, {}},
    Row{"spec.elasticPolicy.rdzvPort", Action::kCode, {}, {}},
    Row{"spec.elasticPolicy.rdzvHost", Action::kChange, "PET_RDZV_ENDPOINT: the lead's host name", {}},
    Row{"spec.elasticPolicy.rdzvBackend", Action::kCode, {}, {}},
    Row{"spec.elasticPolicy.rdzvId", Action::kCode, {}, {}},
    Row{"spec.elasticPolicy.rdzvConf", Action::kCode, {}, {}},
    Row{"spec.elasticPolicy.maxRestarts", Action::kCode, {}, {}},
    Row{"spec.elasticPolicy.standalone", Action::kCode, {}, {}},
};

/// A PyTorchJob on its way: torchrun and torch.distributed read their rendezvous from variables, which the
/// operator sets in each pod.
class PyTorch {
public:
  explicit PyTorch(Migration& migration) : migration_(migration) {}

  Result<void> run() {
    apply_rows(migration_, {common_rows(), run_policy_rows(), kPyTorchRows});
    if (auto read = read_replicas(); !read) return read;
    const Replica& kept = replicas_.front();
    const std::size_t index = kept.container_index(kMain);
    migration_.size(pods_);
    carry_template(migration_, kept);
    migration_.main = kept.container(index).get("name");
    migration_.torch = true;
    container_ = &list_at(migration_.pod(), "containers").items[index];
    if (auto read = read_port(kept.container(index)); !read) return read;
    if (auto read = set_processes(); !read) return read;
    set_environment(kept.container_field(index));
    if (auto read = set_elastic(); !read) return read;
    if (is_blank(container_->find("command")))
      migration_.note(Fate::kDecide, kept.container_field(index), kNoCommand);
    order_container(*container_);
    if (replicas_.size() > 1) compare(kept, replicas_.back());
    return apply_run_policy(migration_, pods_);
  }

private:
  Result<void> read_replicas() {
    const std::string path = "spec.pytorchReplicaSpecs";
    auto found = find_replicas(migration_, path, {{"Master", 1}, {"Worker", 1}});
    if (!found) return std::unexpected(found.error());
    replicas_ = std::move(*found);
    for (const Replica& replica : replicas_) {
      pods_ += replica.replicas;
      if (manifest::find_field(migration_.source(), replica.replicas_field()).kind == Node::Kind::kNumber)
        migration_.note(Fate::kCarried, replica.replicas_field(), kParallelism);
    }
    if (pods_ < 1) return fail(path, "must have a Master or a Worker with replicas");
    return {};
  }

  Result<void> read_port(const Node& container) {
    port_ = kPort;
    Node ports = container.find("ports") == nullptr ? list_node({}) : *container.find("ports");
    if (const Node* const port = named(&ports, kPortName)) {
      const auto number = integer(port->find("containerPort"), kPort, "spec.pytorchReplicaSpecs", 1);
      if (!number) return std::unexpected(number.error());
      port_ = *number;
    }
    return {};
  }

  /// torchrun starts the processes of a node: Flux starts one torchrun on each, which is its default.
  Result<void> set_processes() {
    for (const std::string_view field : {"spec.elasticPolicy.nProcPerNode", "spec.nprocPerNode"}) {
      const Node* const value = at_path(migration_.source(), field);
      if (value == nullptr) continue;
      processes_ = scalar_text(value);
      const auto number = parse_integer(processes_);
      const bool word = processes_ == "auto" || processes_ == "cpu" || processes_ == "gpu";
      if (!word && (!number || *number < 1))
        return fail(std::string(field), "must be auto, cpu, gpu or a number above 0");
      if (migration_.target() == Target::kTrainJob && !number) {
        migration_.note(
            processes_ == "auto" ? Fate::kDropped : Fate::kDecide, field,
            "Trainer's torch policy finds it: a process for each GPU, or without one for each core");
        continue;
      }
      migration_.note(Fate::kCarried, field, "PET_NPROC_PER_NODE of the container");
      migration_.torch_processes = number.value_or(0);
    }
    return {};
  }

  /// The lead's host name. What a generated name will be, or that of a runtime's job, a variable says.
  [[nodiscard]] std::string lead() {
    const std::string_view name = migration_.metadata().get("name");
    if (!name.empty() && migration_.target() == Target::kJobSet)
      return std::string(name) + "-node-0-0." + std::string(name);
    put_env_field(*container_, "JOBSET_NAME", kNameField);
    return "$(JOBSET_NAME)-node-0-0.$(JOBSET_NAME)";
  }

  void set_environment(const std::string& field) {
    const std::string address = lead();
    lead_port_ = address + ":" + std::to_string(port_);
    const std::int64_t each = parse_integer(processes_).value_or(1);
    env("PYTHONUNBUFFERED", "1", field);
    env("MASTER_ADDR", address, field);
    env("MASTER_PORT", std::to_string(port_), field);
    env("WORLD_SIZE", std::to_string(pods_ * each), field);
    index_env("RANK", field);
    if (migration_.target() == Target::kTrainJob) return; // Trainer's torch policy sets the others
    env("PET_MASTER_ADDR", address, field);
    env("PET_MASTER_PORT", std::to_string(port_), field);
    env("PET_NNODES", std::to_string(pods_), field);
    env("PET_NPROC_PER_NODE", processes_, field);
    index_env("PET_NODE_RANK", field);
  }

  /// What the operator sets wins over what is there.
  void env(std::string_view name, std::string_view value, const std::string& field) {
    note_overridden(name, field);
    put_env(*container_, name, value);
  }

  void index_env(std::string_view name, const std::string& field) {
    note_overridden(name, field);
    put_env_field(*container_, name, kIndexField);
  }

  void note_overridden(std::string_view name, const std::string& field) {
    const Node* const list = container_->find("env");
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i)
      if (list->items[i].get("name") == name)
        migration_.note(Fate::kDropped, field_of(field + ".env", i),
                        "the operator sets this variable itself");
  }

  Result<void> set_elastic() {
    const Node* const policy = at_path(migration_.source(), "spec.elasticPolicy");
    if (policy == nullptr) return {};
    const std::string field = "spec.elasticPolicy";
    const auto port = integer(policy->find("rdzvPort"), port_, field + ".rdzvPort", 1);
    if (!port) return std::unexpected(port.error());
    if (policy->find("rdzvPort") != nullptr) {
      lead_port_ = lead() + ":" + std::to_string(*port);
      migration_.note(Fate::kCarried, field + ".rdzvPort", "PET_RDZV_ENDPOINT of the container");
    }
    put_env(*container_, "PET_RDZV_ENDPOINT", lead_port_);
    for (const auto& [key, name] :
         {std::pair("rdzvBackend", "PET_RDZV_BACKEND"), std::pair("rdzvId", "PET_RDZV_ID"),
          std::pair("maxRestarts", "PET_MAX_RESTARTS")}) {
      if (policy->find(key) == nullptr) continue;
      const bool number = std::string_view(key) == "maxRestarts";
      if (const auto wrong = number ? wrong_integer(*policy->find(key), 0) : std::nullopt) {
        migration_.note(Fate::kDecide, field_of(field, key), "it is left out: " + *wrong);
        continue;
      }
      put_env(*container_, name, scalar_text(policy->find(key)));
      migration_.note(Fate::kCarried, field_of(field, key), std::string(name) + " of the container");
    }
    if (is_true(policy->find("standalone"))) {
      put_env(*container_, "PET_STANDALONE", "");
      migration_.note(Fate::kCarried, field + ".standalone", "PET_STANDALONE of the container");
    } else if (policy->find("standalone") != nullptr) {
      migration_.note(Fate::kDropped, field + ".standalone", "it is off or empty");
    }
    set_rendezvous_configuration(*policy);
    return {};
  }

  void set_rendezvous_configuration(const Node& policy) {
    const Node* const list = policy.find("rdzvConf");
    if (list == nullptr) return;
    std::string text;
    for (const Node& entry : list->items)
      text +=
          (text.empty() ? "" : ",") + std::string(entry.get("key")) + "=" + std::string(entry.get("value"));
    put_env(*container_, "PET_RDZV_CONF", text);
    migration_.note(Fate::kCarried, "spec.elasticPolicy.rdzvConf", "PET_RDZV_CONF of the container");
  }

  /// All pods become alike: what one has otherwise than the other is for somebody to decide.
  void compare(const Replica& master, const Replica& worker) {
    migration_.note(Fate::kChanged, worker.field, "all pods are like the Master's; what differs is told");
    compare_replicas(worker, master, "all pods are like the Master's, which differs here", Told::kOther);
    compare_replicas(master, worker, "all pods have it, and the Worker's had none", Told::kMissing);
  }

  void compare_replicas(const Replica& one, const Replica& other, std::string_view text, Told told) {
    const std::size_t index = one.container_index(kMain);
    const Difference difference{Fate::kDecide, told, std::string(text)};
    std::vector<std::string_view> skip{"name"};
    if (told == Told::kMissing) skip.emplace_back("ports"); // the operator reads and adds them itself
    compare_members(migration_, one.container(index), one.container_field(index),
                    other.container(other.container_index(kMain)), skip, difference);
    compare_pods(migration_, one, other, difference);
    compare_sidecars(migration_, one, index, other, difference);
  }

  Migration& migration_;
  std::vector<Replica> replicas_; ///< the Master first, where there is one
  std::int64_t pods_ = 0, port_ = kPort;
  std::string processes_ = "auto"; ///< a node, as torchrun takes it
  std::string lead_port_;
  Node* container_ = nullptr; ///< of the JobSet
};

} // namespace

Result<void> migrate_pytorchjob(Migration& migration) { return PyTorch(migration).run(); }

} // namespace fluxhook::migrate
