#include "migrate/replicas.h"

#include <algorithm>

#include "fluxhook/base/text.h"

namespace fluxhook::migrate {
namespace {

void carry_restart_policy(Migration& migration, const Node& value, const std::string& field) {
  if (scalar_text(&value) == "Never")
    return migration.note(Fate::kCarried, field, migration.put_at("pod.restartPolicy", value));
  migration.note(
      Fate::kChanged, field,
      "Never: a broker can't join again by itself; spec.failurePolicy.maxRestarts restarts all pods");
}

Result<Replica> read_replica(Migration& migration, const std::string& field, const Node& spec,
                             const ReplicaType& type) {
  Replica replica{std::string(type.word), field + ".template", spec.find("template"), type.default_replicas};
  if (const auto fine = check_template(replica.pod_template, replica.field); !fine)
    return std::unexpected(fine.error());
  const auto replicas = integer(spec.find("replicas"), type.default_replicas, field + ".replicas");
  if (!replicas) return std::unexpected(replicas.error());
  replica.replicas = *replicas;
  if (const Node* const policy = spec.find("restartPolicy"))
    carry_restart_policy(migration, *policy, field + ".restartPolicy");
  return replica;
}

} // namespace

std::size_t Replica::container_index(std::string_view name) const {
  const auto& containers = pod().find("containers")->items;
  const auto found = std::ranges::find(containers, name, [](const Node& one) { return one.get("name"); });
  return found == containers.end() ? 0 : static_cast<std::size_t>(found - containers.begin());
}

std::string Replica::container_field(std::size_t index) const {
  return field_of(field + ".spec.containers", index);
}

Result<void> check_template(const Node* pod_template, const std::string& field) {
  const Node* const containers =
      pod_template == nullptr ? nullptr : at_path(*pod_template, "spec.containers");
  const auto is_object = [](const Node& one) { return one.kind == Node::Kind::kObject; };
  if (containers == nullptr || containers->items.empty() ||
      !std::ranges::all_of(containers->items, is_object))
    return fail(field, "must be a pod template with containers");
  return {};
}

Result<std::vector<Replica>> find_replicas(Migration& migration, const std::string& path,
                                           std::initializer_list<ReplicaType> types) {
  std::vector<Replica> found;
  const Node* const map = at_path(migration.source(), path);
  if (map == nullptr) return found;
  for (const ReplicaType& type : types) {
    const auto entry = std::ranges::find_if(
        map->members, [&](const Member& one) { return equals_ignoring_case(one.key, type.word); });
    if (entry == map->members.end() || entry->value.kind == Node::Kind::kNull) continue;
    auto replica = read_replica(migration, field_of(path, entry->key), entry->value, type);
    if (!replica) return std::unexpected(replica.error());
    found.push_back(std::move(*replica));
  }
  for (const Member& member : map->members) {
    const auto is_known = [&](const ReplicaType& type) {
      return equals_ignoring_case(type.word, member.key);
    };
    if (std::ranges::none_of(types, is_known))
      migration.note(Fate::kDecide, field_of(path, member.key), "the operator has no such type of replica");
  }
  return found;
}

void carry_template(Migration& migration, const Replica& replica) {
  Node& target = migration.pod_template();
  const Node before = migration.pod(); // what other fields have put there
  target = object_node({});
  if (const Node* const metadata = replica.pod_template->find("metadata")) {
    for (const Member& member : metadata->members) {
      if (member.key != "labels" && member.key != "annotations")
        migration.note(Fate::kDropped, field_of(replica.field + ".metadata", member.key),
                       "a JobSet keeps labels and annotations of a template");
      else if (!is_blank(&member.value)) put(object_at(target, "metadata"), member.key, member.value);
    }
  }
  put(target, "spec", replica.pod());
  const Node* const policy = migration.pod().find("restartPolicy");
  if (policy != nullptr && scalar_text(policy) != "Never") {
    migration.note(Fate::kChanged, replica.field + ".spec.restartPolicy",
                   "Never: a broker can't join again by itself");
    erase(migration.pod(), "restartPolicy");
  }
  for (const Member& member : before.members)
    put(migration.pod(), member.key, member.value);
  migration.note(Fate::kCarried, replica.field, "spec.replicatedJobs[0].template.spec.template");
}

void compare_members(Migration& migration, const Node& one, const std::string& field, const Node& other,
                     const std::vector<std::string_view>& skip, const Difference& difference) {
  for (const Member& member : one.members) {
    if (std::ranges::contains(skip, member.key) || is_blank(&member.value)) continue;
    const Node* const there = other.find(member.key);
    const bool counts = difference.told == Told::kMissing
                            ? is_blank(there)
                            : there == nullptr || !manifest::equal(member.value, *there);
    if (counts) migration.note(difference.fate, field_of(field, member.key), difference.text);
  }
}

void compare_pods(Migration& migration, const Replica& one, const Replica& other,
                  const Difference& difference) {
  const Node none = object_node({});
  const auto metadata = [&](const Replica& replica) -> const Node& {
    const Node* const found = replica.pod_template->find("metadata");
    return found == nullptr ? none : *found;
  };
  compare_members(migration, metadata(one), one.field + ".metadata", metadata(other), {}, difference);
  compare_members(migration, one.pod(), one.field + ".spec", other.pod(), {"containers", "restartPolicy"},
                  difference);
}

void compare_sidecars(Migration& migration, const Replica& one, std::size_t main, const Replica& other,
                      const Difference& difference) {
  const auto& containers = one.pod().find("containers")->items;
  const auto& others = other.pod().find("containers")->items;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const auto is_same = [&](const Node& there) {
      return difference.told == Told::kMissing ? there.get("name") == containers[i].get("name")
                                               : manifest::equal(there, containers[i]);
    };
    if (i != main && std::ranges::none_of(others, is_same))
      migration.note(difference.fate, one.container_field(i), difference.text);
  }
}

void put_env(Node& container, const Node& entry) {
  Node& env = list_at(container, "env");
  if (Node* const there = named(&env, entry.get("name"))) *there = entry;
  else env.items.push_back(entry);
}

void put_env(Node& container, std::string_view name, std::string_view value) {
  put_env(container, object_node({{"name", text_node(name)}, {"value", text_node(value)}}));
}

void put_env_field(Node& container, std::string_view name, std::string_view field_path) {
  const Node reference = object_node({{"fieldRef", object_node({{"fieldPath", text_node(field_path)}})}});
  put_env(container, object_node({{"name", text_node(name)}, {"valueFrom", reference}}));
}

} // namespace fluxhook::migrate
