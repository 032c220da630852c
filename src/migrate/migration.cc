#include "migrate/migration.h"

#include <algorithm>
#include <array>

#include "fluxhook/base/shell_words.h"
#include "fluxhook/base/text.h"
#include "fluxhook/flux/setting_table.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kJobPath = "spec.replicatedJobs[0].template.spec";

Node first_jobset() {
  Node job =
      object_node({{"name", text_node("node")},
                   {"template", object_node({{"spec", object_node({{"parallelism", number_node(1)},
                                                                   {"completions", number_node(1)}})}})}});
  return object_node({{"apiVersion", text_node("jobset.x-k8s.io/v1alpha2")},
                      {"kind", text_node("JobSet")},
                      {"metadata", object_node({})},
                      {"spec", object_node({{"replicatedJobs", list_node({std::move(job)})}})}});
}

/// The part of the JobSet that an alias stands for, and where that is.
struct Part {
  std::string_view alias;
  Node& (Migration::*node)();
  std::string path;
};

/// Where the key of a field stands.
manifest::Position position_of(const Node& root, std::string_view field) {
  const bool bracket = field.ends_with(']');
  const std::size_t cut = bracket ? field.rfind('[') : field.rfind('.');
  const std::string_view parent = cut == field.npos ? std::string_view() : field.substr(0, cut);
  std::string_view key = cut == field.npos ? field : field.substr(cut + 1);
  if (bracket) key.remove_suffix(1);
  const Node& node = manifest::find_field(root, parent);
  const auto member = std::ranges::find(node.members, key, &Member::key);
  return member == node.members.end() ? manifest::locate(root, field) : member->at;
}

} // namespace

std::string_view fate_word(Fate fate) {
  constexpr std::array<std::string_view, 4> kWords{"carried", "dropped", "changed", "decide"};
  return kWords.at(static_cast<std::size_t>(fate));
}

std::string field_of(std::string_view parent, std::string_view key) {
  if (parent.empty()) return std::string(key);
  if (key.find_first_of("./[]") == key.npos) return std::string(parent) + "." + std::string(key);
  return std::string(parent) + "[" + std::string(key) + "]";
}

std::string field_of(std::string_view parent, std::size_t index) {
  return std::string(parent) + "[" + std::to_string(index) + "]";
}

Migration::Migration(const Node& source, Target target)
    : source_(source), target_(target), jobset_(first_jobset()) {
  for (const std::string_view key :
       {"name", "generateName", "namespace"}) { // in this order, whatever the source's is
    const Node* const value = at_path(source, "metadata." + std::string(key));
    if (!is_blank(value)) put(metadata(), key, *value);
  }
  for (const std::string_view field : {"apiVersion", "kind"})
    note(Fate::kCarried, field, field);
  if (const Node* const labels = at_path(source, "metadata.labels")) {
    put(metadata(), "labels", *labels);
    note(Fate::kCarried, "metadata.labels", "metadata.labels");
    const Node* const inject = labels->find(flux::kInjectLabel);
    if (inject != nullptr && inject->text != "true")
      note(Fate::kDecide, "metadata.labels[" + std::string(flux::kInjectLabel) + "]",
           "it is " + in_quotes(inject->text) + R"(, which becomes "true": the result is for fluxhook)");
  }
  put(object_at(metadata(), "labels"), flux::kInjectLabel, text_node("true"));
  Node& annotations = object_at(metadata(), "annotations");
  if (const Node* const source_annotations = at_path(source, "metadata.annotations")) {
    for (const Member& member : source_annotations->members) {
      const std::string field = "metadata.annotations[" + member.key + "]";
      if (member.key == kLastApplied) {
        note(Fate::kDropped, field, "kubectl apply sets it");
        continue;
      }
      put(annotations, member.key, member.value);
      note(Fate::kCarried, field, field);
    }
    if (source_annotations->members.empty())
      note(Fate::kDropped, "metadata.annotations", "it is off or empty");
  }
}

std::string Migration::put_at(std::string_view path, Node value) {
  const std::array<Part, 3> parts{
      {{"job.", &Migration::job, std::string(kJobPath)},
       {"template.", &Migration::pod_template, std::string(kJobPath) + ".template"},
       {"pod.", &Migration::pod, std::string(kJobPath) + ".template.spec"}}};
  for (const Part& part : parts) {
    if (!path.starts_with(part.alias)) continue;
    path.remove_prefix(part.alias.size());
    put_path((this->*part.node)(), path, std::move(value));
    return part.path + "." + std::string(path);
  }
  put_path(jobset_, path, std::move(value));
  return std::string(path);
}

void Migration::note(Fate fate, std::string_view field, std::string_view text) {
  notes_.push_back({fate, std::string(field), position_of(source_, field), std::string(text)});
}

void Migration::set(std::string_view setting, std::string_view value, std::string_view field) {
  const std::string annotation = std::string(flux::kPrefix) + std::string(setting);
  const auto* const row = flux::find_setting(setting);
  flux::Settings read;
  if (const auto fault = row->read(value, read)) {
    return note(Fate::kDecide, field, annotation + " does not take this: " + fault->message());
  }
  annotate(annotation, value);
  note(Fate::kCarried, field, "metadata.annotations[" + annotation + "]");
}

void Migration::annotate(std::string_view annotation, std::string_view value) {
  const Node* const all = at_path(source_, "metadata.annotations");
  const Node* const own = all == nullptr ? nullptr : all->find(annotation);
  if (own != nullptr && own->text != value) {
    const std::string field = "metadata.annotations[" + std::string(annotation) + "]";
    std::erase_if(notes_, [&](const Note& one) { return one.field == field; });
    note(Fate::kDecide, field,
         "it is " + in_quotes(own->text) + ", which becomes " + in_quotes(value) + ": other fields say so");
  }
  put(object_at(metadata(), "annotations"), annotation, text_node(value));
}

void Migration::run_with(const std::vector<std::string>& words, std::string_view field) {
  run_options_.insert(run_options_.end(), words.begin(), words.end());
  run_options_field_ = field;
}

void Migration::size(std::int64_t pods) {
  put(job(), "parallelism", number_node(pods));
  put(job(), "completions", number_node(pods));
}

bool Migration::spread(std::int64_t tasks, std::int64_t pods, std::int64_t per_node, std::string_view field) {
  const bool even = per_node > 0 ? tasks == pods * per_node : tasks % pods == 0;
  const std::int64_t most = even && per_node > 0 ? per_node : (tasks + pods - 1) / pods;
  if (tasks < pods) run_with({"-N", std::to_string(tasks)}, field);
  if (tasks != most * pods) run_with({"-n", std::to_string(tasks)}, field);
  set("num-proc-per-node", std::to_string(most), field);
  return even;
}

Migrated Migration::finish() && {
  std::string options;
  for (const std::string& word : run_options_)
    options += (options.empty() ? "" : " ") + shell_word(word);
  flux::Settings read;
  const auto fault = options.empty() ? std::nullopt : flux::find_setting("run-options")->read(options, read);
  if (fault)
    note(Fate::kDecide, run_options_field_,
         "the setting run-options does not take this: " + fault->message());
  else if (!options.empty()) annotate(std::string(flux::kPrefix) + "run-options", options);
  if (pod().find("containers") != nullptr && list_at(pod(), "containers").items.size() > 1 && main != "node")
    annotate(std::string(flux::kPrefix) + "container", main);
  if (is_blank(metadata().find("annotations"))) erase(metadata(), "annotations");
  order_members(metadata(), {"name", "generateName", "namespace", "labels", "annotations"});
  order_members(spec(), {"suspend", "managedBy", "ttlSecondsAfterFinished", "network", "successPolicy",
                         "failurePolicy", "replicatedJobs"});
  order_members(job(), {"activeDeadlineSeconds", "parallelism", "completions", "template"});
  order_members(pod_template(), {"metadata", "spec"});
  std::ranges::stable_sort(notes_, [](const Note& a, const Note& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  Migrated done{.objects = {}, .jobset = jobset_, .notes = std::move(notes_)};
  if (target_ == Target::kJobSet) done.objects.push_back(std::move(jobset_));
  else done.objects = trainjob_of(std::move(jobset_), *this);
  return done;
}

} // namespace fluxhook::migrate
