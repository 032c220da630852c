#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "fluxhook/migrate/migrate.h"

namespace fluxhook::cli {

/// An object of the input, and what became of it.
struct MigratedObject {
  std::string file;
  manifest::Position at;
  std::string kind, name; ///< name: namespace/name
  migrate::Migrated result;
};

/// What there was in the input.
struct MigrationSummary {
  std::size_t migrated = 0;
  std::size_t others = 0;             ///< of other kinds, or no objects
  std::size_t unreadable = 0;         ///< documents that can't be read, and objects that can't be migrated
  std::array<std::size_t, 4> fates{}; ///< notes, by their Fate

  void count(const MigratedObject& object);
  /// "2 objects migrated, 1 other passed over: 3 fields dropped, 1 changed, 0 to decide"
  [[nodiscard]] std::string text() const;
};

/// `FILE:LINE:COLUMN: dropped: FIELD: TEXT`, of each note that is no carried one.
[[nodiscard]] std::vector<std::string> note_lines(const MigratedObject& object);

/// {"objects": [{"file", "line", "column", "kind", "name", "becomes": [{"kind", "name"}, …],
/// "fields": [{"fate", "field", "line", "column", "text"}, …]}, …], "summary": {…}}
[[nodiscard]] std::string migration_json(const std::vector<MigratedObject>& objects,
                                         const MigrationSummary& summary);

} // namespace fluxhook::cli
