#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/flux/resources.h"
#include "fluxhook/flux/rules.h"
#include "fluxhook/flux/settings.h"
#include "fluxhook/k8s/jobset.h"

namespace fluxhook::flux {

// --- Values that a change can write. Texts borrow from the JobSet, the settings or static storage where they
// --- are views; an encoder turns each into JSON.

struct EmptyObject {}; ///< {}: a parent of what follows
struct EmptyList {};   ///< []: likewise
/// A list of strings: command, args.
using Words = std::vector<std::string_view>;

/// A volume of a pod.
struct VolumeValue {
  enum class Kind : std::uint8_t { kEmptyDir, kMemory, kConfigMap, kSecret };
  std::string_view name;
  Kind kind = Kind::kEmptyDir;
  std::string source; ///< kMemory: sizeLimit or empty; kConfigMap, kSecret: the object's name
};

/// A volumeMount of a container.
struct MountValue {
  std::string_view name, path;
  bool read_only = false;
};

/// env from the downward API: a pod label.
struct EnvValue {
  std::string_view name, label;
};

/// The init container flux-installer, with init.sh as its command.
struct InitContainerValue {
  std::string image;
  bool copy_security_context = false;
  std::string security_context; ///< pointer into the incoming object, when copied
  std::vector<MountValue> mounts;
};

/// A preferred pod anti-affinity term among the pods of this JobSet's instance.
struct AffinityValue {
  std::string jobset_name;
  std::vector<std::string_view> replicated_jobs; ///< empty: all of the JobSet's
};

/// Job.spec.successPolicy on index 0.
struct LeaderSuccess {};

/// A copy of what stands at `pointer` in oldObject, byte for byte.
struct FromOld {
  std::string pointer;
};

/// Whatever a change writes.
using Value = std::variant<EmptyObject, EmptyList, bool, std::int64_t, std::string, std::string_view, Words,
                           VolumeValue, MountValue, EnvValue, InitContainerValue, AffinityValue,
                           LeaderSuccess, FromOld>;

/// Why a change is made; src/flux/reasons.h has them all.
struct Reason {
  std::string_view text;    ///< one line
  std::optional<Rule> rule; ///< the one that guards this place against what a manifest may say there
  std::string_view source;  ///< who says so: a KEP, a manual's page, a file of another project
};

/// One operation of the patch: `add` at an RFC 6901 pointer whose parent exists by then, or `replace` of
/// what is there.
struct Change {
  std::string pointer;
  Value value;
  bool replace = false;
  const Reason* why = nullptr; ///< static; never null
};

/// What is asked of a JobSet.
enum class Operation : std::uint8_t { kCreate, kUpdate };

/// A JobSet and what is asked of it; borrows both objects.
struct Request {
  Operation operation = Operation::kCreate;
  std::string_view uid; ///< of the admission request: what a generated name derives from
  const k8s::JobSet* object = nullptr;
  const k8s::JobSet* old = nullptr; ///< with kUpdate
};

/// Where a setting's value came from.
/// kDefault: the server's configuration, or the built-in default behind it.
enum class Origin : std::uint8_t { kDefault, kInjected, kEnv, kAnnotation };

/// The decision on one JobSet. Pure and deterministic.
struct Outcome {
  bool selected = false;                       ///< it carries the label and was not skipped
  std::string name;                            ///< the JobSet's final name, also with generateName
  Settings settings;                           ///< effective
  std::array<Origin, kSettingCount> origins{}; ///< of each setting, by row of setting_table()
  std::vector<Member> members;                 ///< chosen replicatedJobs and containers, the lead's first
  Resources resources;
  std::vector<Finding> findings; ///< errors and warnings, in the object's order
  std::vector<Change> changes;   ///< empty when any finding is an error

  [[nodiscard]] bool denied() const; ///< whether any finding is an error
};

/// What the mutating webhook does: at CREATE the injection, at UPDATE what puts it back
/// (docs/architecture.md). The outcome borrows from the request's objects.
[[nodiscard]] Outcome mutate(const Request& request, const Defaults& defaults);

/// What the validating webhook does: the same rules on the final object, and whether its injection is there.
[[nodiscard]] Outcome validate(const Request& request, const Defaults& defaults);

/// The instance of a JobSet that exists, as its injection recorded it.
struct Instance {
  Settings settings;
  std::vector<Member> members; ///< the lead's first; they borrow from the JobSet
};

/// Reads it from the annotation `injected` and nothing else of the settings. Error: it is absent or
/// malformed, a field has a wrong type, or what it names is not in the JobSet: `where` is the field.
[[nodiscard]] Result<Instance> recall_instance(const k8s::JobSet& jobset);

} // namespace fluxhook::flux
