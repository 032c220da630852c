#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "migrate/migration.h"

namespace fluxhook::migrate {

/// What is done with a field.
enum class Action : std::uint8_t {
  kCopy,    ///< put at the path `text` of the JobSet (Migration::put_at), as it is
  kSetting, ///< becomes the setting `text`
  kCode,    ///< the kind's own code deals with it, and says so
  kDrop,
  kChange, ///< and the kind's own code does it
  kDecide,
};

/// One field of a source: the only place that says what becomes of it.
struct Row {
  std::string_view path; ///< keys with dots between them; `*` stands for any key of a map or item
                         ///< of a list, `a|b` for either
  Action action = Action::kDrop;
  std::string_view text;          ///< where to, or what and why
  std::string_view default_value; ///< a value that says nothing, with which kDecide and kChange don't count
};

/// Goes over all fields of the source. What has a row is dealt with as it says; what has none, nor is on the
/// way to one, is noted as unknown. A field that is on the way and has another type than its rows say is
/// noted as such.
void apply_rows(Migration& migration, std::initializer_list<std::span<const Row>> tables);

/// The rows of every kind: apiVersion, kind, metadata and status. Their kCode ones are done by Migration.
[[nodiscard]] std::span<const Row> common_rows();
/// Those of Kubeflow's runPolicy, which its kinds share.
[[nodiscard]] std::span<const Row> run_policy_rows();
/// Does their kCode ones, for a job of so many pods. Error: as migrate().
[[nodiscard]] Result<void> apply_run_policy(Migration& migration, std::int64_t pods);

} // namespace fluxhook::migrate
