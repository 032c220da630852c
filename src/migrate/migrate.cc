#include "fluxhook/migrate/migrate.h"

#include <algorithm>
#include <array>
#include <string>

#include "migrate/migration.h"

namespace fluxhook::migrate {
namespace {

struct Kind {
  std::string_view group, kind;
  std::array<std::string_view, 4> versions; ///< "" where there are fewer
  Result<void> (*migrate)(Migration& migration);
};

constexpr std::array kKinds{
    Kind{"kubeflow.org", "MPIJob", {"v1", "v1alpha1", "v1alpha2", "v2beta1"}, migrate_mpijob},
    Kind{"kubeflow.org", "PyTorchJob", {"v1"}, migrate_pytorchjob},
    Kind{"flux-framework.org", "MiniCluster", {"v1alpha1", "v1alpha2"}, migrate_minicluster},
};

const Kind* kind_of(const Node& object) {
  const std::string_view version = object.get("apiVersion");
  const std::string_view group = version.substr(0, version.find('/'));
  const auto found = std::ranges::find_if(
      kKinds, [&](const Kind& kind) { return kind.group == group && kind.kind == object.get("kind"); });
  return found == kKinds.end() ? nullptr : &*found;
}

Result<void> check_version(const Kind& kind, std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  const std::string_view version =
      slash == api_version.npos ? std::string_view() : api_version.substr(slash + 1);
  if (!version.empty() && std::ranges::contains(kind.versions, version)) return {};
  std::string known;
  for (const std::string_view one : kind.versions)
    if (!one.empty()) known += (known.empty() ? "" : ", ") + std::string(one);
  return fail("apiVersion", "must be " + std::string(kind.group) + "/ with one of the versions " + known);
}

/// What is read without looking: metadata and spec are objects, labels and annotations maps of strings.
Result<void> check_shape(const Node& object) {
  for (const std::string_view key : {"metadata", "spec"}) {
    const Node* const value = object.find(key);
    if (value == nullptr) return fail(std::string(key), "is missing");
    if (value->kind != Node::Kind::kObject) return fail(std::string(key), "must be an object");
  }
  const Node& metadata = *object.find("metadata");
  if (is_blank(metadata.find("name")) && is_blank(metadata.find("generateName")))
    return fail("metadata", "must have a name or a generateName");
  for (const std::string_view key : {"labels", "annotations"}) {
    const Node* const map = metadata.find(key);
    if (map == nullptr || map->kind == Node::Kind::kNull) continue;
    const auto is_string = [](const Member& one) { return one.value.kind == Node::Kind::kString; };
    if (map->kind != Node::Kind::kObject || !std::ranges::all_of(map->members, is_string))
      return fail("metadata." + std::string(key), "must be a map of strings");
  }
  return {};
}

} // namespace

bool can_migrate(const manifest::Node& object) { return kind_of(object) != nullptr; }

Result<Migrated> migrate(const manifest::Node& object, Target target) {
  const Kind& kind = *kind_of(object);
  if (auto fine = check_version(kind, object.get("apiVersion")); !fine) return std::unexpected(fine.error());
  if (auto fine = check_shape(object); !fine) return std::unexpected(fine.error());
  Migration migration(object, target);
  if (auto done = kind.migrate(migration); !done) return std::unexpected(done.error());
  return std::move(migration).finish();
}

} // namespace fluxhook::migrate
