#include "migrate/minicluster.h"

#include <algorithm>

#include "fluxhook/base/shell_words.h"
#include "fluxhook/base/text.h"
#include "fluxhook/flux/settings.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kOldService =
    "flux-service"; ///< v1alpha1's default name of all clusters' Services

class MiniCluster {
public:
  explicit MiniCluster(Migration& migration) : migration_(migration), source_(migration.source()) {}

  Result<void> run() {
    apply_rows(migration_, {common_rows(), minicluster_rows()});
    const auto index = flux_container();
    if (!index) return std::unexpected(index.error());
    const auto size = number("spec.size", 1);
    if (!size) return std::unexpected(size.error());
    const auto tasks = number("spec.tasks", 1);
    if (!tasks) return std::unexpected(tasks.error());
    if (*size < 1 || *tasks < 0) return fail(*size < 1 ? "spec.size" : "spec.tasks", "is too small");
    migration_.size(*size);
    note_if_there("spec.size", Fate::kCarried, "spec.replicatedJobs[0].template.spec.parallelism");
    containers(*index);
    spread(*tasks, *size);
    if (auto done = options(); !done) return done;
    max_size(*size);
    flux_container_settings();
    labels();
    network();
    affinity();
    services();
    return apply_run_policy(migration_, *size);
  }

private:
  Result<std::int64_t> number(std::string_view field, std::int64_t absent) {
    return integer(at_path(source_, field), absent, field);
  }

  /// The value of a field that says something; nullptr: it is absent, or has been noted as empty.
  const Node* said(std::string_view field) {
    const Node* const value = at_path(source_, field);
    if (value != nullptr && is_blank(value)) migration_.note(Fate::kDropped, field, "it is off or empty");
    return is_blank(value) ? nullptr : value;
  }

  void note_if_there(std::string_view field, Fate fate, std::string_view text) {
    if (at_path(source_, field) != nullptr) migration_.note(fate, field, text);
  }

  /// The one that runs Flux: the only one, or that with runFlux.
  Result<std::size_t> flux_container() {
    const Node* const list = at_path(source_, "spec.containers");
    const auto is_object = [](const Node& one) { return one.kind == Node::Kind::kObject; };
    if (list == nullptr || list->items.empty() || !std::ranges::all_of(list->items, is_object))
      return fail("spec.containers", "must be a list of containers");
    const auto& all = list->items;
    const auto runs = [](const Node& one) { return is_true(one.find("runFlux")); };
    if (all.size() == 1) return 0;
    if (std::ranges::count_if(all, runs) != 1)
      return fail("spec.containers", "must have one container with runFlux: true");
    return static_cast<std::size_t>(std::ranges::find_if(all, runs) - all.begin());
  }

  void containers(std::size_t flux) {
    const auto& all = at_path(source_, "spec.containers")->items;
    Node converted = list_node({});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string field = field_of("spec.containers", i);
      Node container = convert_container(migration_, all[i], field, migration_.pod());
      if (i == flux) {
        once_ = convert_flux_command(migration_, all[i], field, container);
        migration_.main = container.get("name");
        interactive_ = is_true(at_path(source_, "spec.interactive")) || container.find("command") == nullptr;
        interactive_with_command(container, field);
      } else {
        convert_side_command(migration_, all[i], field, container);
      }
      note_name(all[i], field, i == flux);
      if (all[i].find("runFlux") != nullptr)
        migration_.note(all.size() > 1 ? Fate::kCarried : Fate::kDropped, field_of(field, "runFlux"),
                        all.size() > 1 ? "which container runs under Flux" : "the only container does");
      converted.items.push_back(std::move(container));
    }
    put(migration_.pod(), "containers", std::move(converted));
    order_members(migration_.pod(), {"containers"});
    std::ranges::rotate(migration_.pod().members, migration_.pod().members.begin() + 1);
  }

  void note_name(const Node& container, const std::string& field, bool runs_flux) {
    if (container.find("name") == nullptr) return;
    const bool renamed = runs_flux && migration_.target() == Target::kTrainJob;
    migration_.note(renamed ? Fate::kChanged : Fate::kCarried, field_of(field, "name"),
                    renamed ? "node: that is where Trainer puts the command" : "name of the container");
  }

  void interactive_with_command(const Node& container, const std::string& field) {
    if (is_true(at_path(source_, "spec.interactive")) && container.find("command") != nullptr)
      migration_.note(Fate::kDecide, field,
                      "an interactive instance does not run its command: leave out one of them");
  }

  /// As the operator starts a job: -N size -n tasks, without -N where there are fewer tasks, without -n for
  /// 0.
  void spread(std::int64_t tasks, std::int64_t size) {
    const bool there = at_path(source_, "spec.tasks") != nullptr;
    const std::string_view field = there ? "spec.tasks" : "spec.size";
    const std::int64_t each = ((tasks == 0 ? size : tasks) + size - 1) / size;
    if (interactive_)
      return migration_.set("num-proc-per-node", std::to_string(each), field); // at least so many cores
    if (!there && size > 1 && !once_)
      migration_.note(Fate::kChanged, field,
                      "without `tasks` the operator starts one task: run-options -N 1 -n 1");
    if (!once_) {
      migration_.spread(tasks == 0 ? size : tasks, size, 0, field);
      return;
    }
    migration_.set("num-proc-per-node", std::to_string(each), field); // cores for the jobs
    migration_.run_with({"-N", "1", "-n", "1", "-c", "1"}, field);
  }

  Result<void> options() {
    if (const Node* const flags = said("spec.flux.optionFlags")) {
      const auto words = split_shell_words(scalar_text(flags));
      if (!words) return fail("spec.flux.optionFlags", words.error().what);
      migration_.run_with(*words, "spec.flux.optionFlags");
      migration_.note(Fate::kCarried, "spec.flux.optionFlags",
                      "metadata.annotations[flux-framework.org/run-options]");
    }
    if (said("spec.logging.debug") != nullptr) {
      migration_.run_with({"-vvv"}, "spec.logging.debug");
      migration_.note(Fate::kChanged, "spec.logging.debug", "run-options -vvv");
    }
    return {};
  }

  void max_size(std::int64_t size) {
    constexpr std::string_view kField = "spec.maxSize";
    const Node* const most = at_path(source_, kField);
    if (most == nullptr) return;
    const bool fixed = most->text == "0" || most->text == std::to_string(size);
    migration_.note(fixed ? Fate::kDropped : Fate::kDecide, kField,
                    fixed ? "it is the size" : "the size of a Flux cluster is fixed: it has `size` pods");
  }

  void flux_container_settings() {
    flux_in_image();
    const bool none = said("spec.flux.container.disable") != nullptr;
    if (none) migration_.set("view-image", "none", "spec.flux.container.disable");
    if (const Node* const image = said("spec.flux.container.image")) {
      if (none)
        migration_.note(Fate::kDropped, "spec.flux.container.image", "Flux is in the application's image");
      else migration_.set("view-image", scalar_text(image), "spec.flux.container.image");
    }
    if (const Node* const secret = said("spec.flux.container.imagePullSecret")) {
      list_at(migration_.pod(), "imagePullSecrets").items.push_back(object_node({{"name", *secret}}));
      migration_.note(Fate::kCarried, "spec.flux.container.imagePullSecret", "imagePullSecrets of the pod");
    }
  }

  /// v1alpha1 knew no views.
  void flux_in_image() {
    if (!source_.get("apiVersion").ends_with("v1alpha1")) return;
    migration_.set("view-image", "none", "apiVersion");
    migration_.note(Fate::kChanged, "apiVersion",
                    "the image of a v1alpha1 has Flux: the setting view-image is none");
    note_if_there("spec.flux.installRoot", Fate::kDropped, "Flux is found on the image's PATH");
  }

  void labels() {
    if (const Node* const labels = said("spec.jobLabels")) {
      for (const Member& label : labels->members) {
        if (label.key != flux::kInjectLabel || label.value.text == "true")
          put(object_at(migration_.metadata(), "labels"), label.key, label.value);
        else
          migration_.note(Fate::kDecide, field_of("spec.jobLabels", label.key),
                          "it is " + in_quotes(label.value.text) +
                              R"(, which becomes "true": the result is for fluxhook)");
      }
      migration_.note(Fate::kCarried, "spec.jobLabels", "metadata.labels");
    }
    if (said("spec.cleanup") != nullptr) {
      migration_.put_at("spec.ttlSecondsAfterFinished", number_node(0));
      migration_.note(Fate::kChanged, "spec.cleanup",
                      "spec.ttlSecondsAfterFinished: 0: the JobSet is deleted with its pods");
    }
  }

  void network() {
    if (const Node* const name = said("spec.network.headlessName")) {
      if (name->text == kOldService)
        migration_.note(Fate::kDropped, "spec.network.headlessName",
                        "two JobSets may not share a Service: it has its own name");
      else
        migration_.note(Fate::kCarried, "spec.network.headlessName",
                        migration_.put_at("spec.network.subdomain", *name));
    }
    if (said("spec.network.disableAffinity") != nullptr)
      migration_.set("affinity", "false", "spec.network.disableAffinity");
  }

  /// A map of node labels and the values that will do.
  void affinity() {
    const Node* const wanted = said("spec.pod.nodeAffinity");
    if (wanted == nullptr) return;
    Node expressions = list_node({});
    for (const Member& label : wanted->members)
      expressions.items.push_back(object_node(
          {{"key", text_node(label.key)}, {"operator", text_node("In")}, {"values", label.value}}));
    const Node term = object_node({{"matchExpressions", expressions}});
    migration_.note(
        Fate::kCarried, "spec.pod.nodeAffinity",
        migration_.put_at("pod.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                          object_node({{"nodeSelectorTerms", list_node({term})}})));
  }

  /// One more pod, with all services, whose end nobody waits for.
  void services() {
    const Node* const list = said("spec.services");
    if (list == nullptr) return;
    Node pod = object_node({});
    Node containers = list_node({});
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const std::string field = field_of("spec.services", i);
      Node container = convert_container(migration_, list->items[i], field, pod);
      convert_side_command(migration_, list->items[i], field, container);
      note_name(list->items[i], field, false);
      if (list->items[i].find("runFlux") != nullptr)
        migration_.note(Fate::kDropped, field_of(field, "runFlux"), "a service does not run Flux");
      containers.items.push_back(std::move(container));
    }
    put(pod, "containers", std::move(containers));
    Node job = object_node({{"parallelism", number_node(1)}, {"completions", number_node(1)}});
    put_path(job, "template.spec", std::move(pod));
    list_at(migration_.spec(), "replicatedJobs")
        .items.push_back(object_node(
            {{"name", text_node("services")}, {"template", object_node({{"spec", std::move(job)}})}}));
    migration_.put_at("spec.successPolicy",
                      object_node({{"operator", text_node("All")},
                                   {"targetReplicatedJobs", list_node({text_node("node")})}}));
    migration_.note(Fate::kChanged, "spec.services",
                    "the replicatedJob `services`, whose pod's host name is JOBSET-services-0-0.SUBDOMAIN");
  }

  Migration& migration_;
  const Node& source_;
  bool once_ = false;        ///< the command starts Flux jobs by itself
  bool interactive_ = false; ///< no command is run
};

} // namespace

Result<void> migrate_minicluster(Migration& migration) { return MiniCluster(migration).run(); }

} // namespace fluxhook::migrate
