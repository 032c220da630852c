#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/migration.h"

namespace fluxhook::migrate {

/// Where the number of pods of the migrated JobSet's only replicatedJob stands.
inline constexpr std::string_view kParallelism = "spec.replicatedJobs[0].template.spec.parallelism";

/// One entry of a Kubeflow job's map of replica specs, or what stands for one.
struct Replica {
  std::string word;  ///< its type, as messages say it: Worker
  std::string field; ///< of the pod template
  const Node* pod_template = nullptr;
  std::int64_t replicas = 1;

  [[nodiscard]] const Node& pod() const { return *pod_template->find("spec"); }
  /// The container of that name, else the first.
  [[nodiscard]] std::size_t container_index(std::string_view name) const;
  [[nodiscard]] const Node& container(std::size_t index) const {
    return pod().find("containers")->items[index];
  }
  [[nodiscard]] std::string container_field(std::size_t index) const;
  /// Of its count.
  [[nodiscard]] std::string replicas_field() const { return field.substr(0, field.rfind('.')) + ".replicas"; }
};

/// A type of replica, and how many there are of it where nothing is said.
struct ReplicaType {
  std::string_view word;
  std::int64_t default_replicas = 1;
};

/// The replicas of the map at `path` that are of these types, in any case of letters, in the types' order;
/// their fields but count and template are noted, and so are entries of no such type. Error: one without a
/// template that has containers, a count that is no number.
[[nodiscard]] Result<std::vector<Replica>> find_replicas(Migration& migration, const std::string& path,
                                                         std::initializer_list<ReplicaType> types);
/// Checks that a pod template has containers. Error: as find_replicas().
[[nodiscard]] Result<void> check_template(const Node* pod_template, const std::string& field);

/// Makes the replica's pod template that of the JobSet.
void carry_template(Migration& migration, const Replica& replica);

/// Which members count as a difference.
enum class Told : std::uint8_t {
  kOther,   ///< those that the other has not, or has with another value
  kMissing, ///< those that the other has not
};

/// How a difference is noted.
struct Difference {
  Fate fate = Fate::kDecide;
  Told told = Told::kOther;
  std::string text;
};

/// Notes what the pod template of `one`, apart from its containers, has and that of `other` doesn't.
void compare_pods(Migration& migration, const Replica& one, const Replica& other,
                  const Difference& difference);
/// The same of the other containers than the main one of `one`; kMissing: by their names.
void compare_sidecars(Migration& migration, const Replica& one, std::size_t main, const Replica& other,
                      const Difference& difference);
/// Notes what an object has and another doesn't, member by member, but for some.
void compare_members(Migration& migration, const Node& one, const std::string& field, const Node& other,
                     const std::vector<std::string_view>& skip, const Difference& difference);

/// What is said of a container without a command, which is for somebody to decide.
inline constexpr std::string_view kNoCommand =
    "it has no command: the image's own can't be known: say it as the command";

/// Adds an env entry to a container, or replaces the one of that name.
void put_env(Node& container, const Node& entry);
void put_env(Node& container, std::string_view name, std::string_view value);
/// An entry whose value is a field of the pod.
void put_env_field(Node& container, std::string_view name, std::string_view field_path);

} // namespace fluxhook::migrate
