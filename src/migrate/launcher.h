#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "migrate/mpirun.h"
#include "migrate/replicas.h"

namespace fluxhook::migrate {

/// An MPIJob, as far as its launcher's command line is to be taken apart.
struct MpiJob {
  Replica kept;                ///< whose pods stay: the workers; the launcher where it is alone
  std::optional<Replica> gone; ///< a launcher beside workers; none: the command is that of `kept`
  std::size_t kept_container = 0, gone_container = 0; ///< the main ones
  bool alone = false;                                 ///< there are no workers
  std::vector<Mpi> mpi;                               ///< whose mpirun it can be, the likeliest first
  std::int64_t pods = 1;                              ///< after the migration
  std::int64_t slots = 1;                             ///< a worker
  bool launcher_works = false;                        ///< the launcher's pod ran tasks, too
};

/// Makes the program that the launcher's mpirun starts the command of the JobSet's main container, with its
/// variables, directory and numbers of tasks. Error: a command that is no list of strings.
[[nodiscard]] Result<void> carry_launcher(Migration& migration, const MpiJob& job);

} // namespace fluxhook::migrate
