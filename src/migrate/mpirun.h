#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/migrate/migrate.h"

namespace fluxhook::migrate {

/// Whose mpirun it is. Intel MPI's and MPICH's are both Hydra, whose options are read alike.
enum class Mpi : std::uint8_t { kOpenMpi, kHydra };

/// What a command line of mpirun says.
struct MpiLine {
  /// What is to be said of a word.
  struct Remark {
    std::size_t word = 0; ///< its index
    Fate fate = Fate::kDropped;
    std::string text;
  };

  /// A variable for the tasks.
  struct Variable {
    std::string name;
    std::optional<std::string> value; ///< none: mpirun's own
    std::size_t word = 0;             ///< index of the option
  };

  std::vector<std::string> program;           ///< and its arguments
  std::size_t program_word = 0;               ///< where it begins
  std::optional<std::int64_t> tasks;          ///< -np; > 0
  std::optional<std::int64_t> tasks_per_node; ///< > 0
  std::optional<std::int64_t> cores_per_task; ///< > 0
  std::vector<Variable> env;
  bool hands_on_env = false;            ///< all of mpirun's environment reaches the tasks
  std::string directory;                ///< of the tasks; empty: where mpirun is
  std::vector<std::string> run_options; ///< for `flux run`
  std::vector<Remark> remarks;          ///< of each option that is dropped or changed
};

/// Whether a command is one that starts MPI programs: mpirun, /usr/bin/mpiexec.hydra …
[[nodiscard]] bool is_mpirun(std::string_view command);

/// Reads such a command line; words[0] is mpirun. Error: an option that isn't known, since it can't be told
/// whether a value follows; several programs with `:` between them; no program; `where` is empty.
[[nodiscard]] Result<MpiLine> read_mpirun(std::span<const std::string> words, Mpi mpi);

/// What an option does here.
enum class Effect : std::uint8_t {
  kDrop,    ///< nothing, for the reason `text`
  kDecide,  ///< nothing, and somebody has to decide what
  kTasks,   ///< -np N
  kPerNode, ///< -ppn N
  kOnePerNode,
  kCores,     ///< cores of a task
  kMapBy,     ///< --map-by SPEC
  kBind,      ///< --bind-to WHAT
  kExport,    ///< -x NAME[=VALUE]
  kSetEnv,    ///< -genv NAME VALUE, or NAME=VALUE
  kEnvList,   ///< -genvlist NAME,…
  kEnvAll,    ///< -genvall
  kEnvNone,   ///< -genvnone
  kMca,       ///< --mca NAME VALUE
  kDirectory, ///< -wdir DIR
  kTimeLimit, ///< --timeout SECONDS
  kLabel,     ///< ranks before lines of output
};

struct MpiOption {
  std::string_view name; ///< without dashes; both vendors take one or two
  int values = 0;        ///< words that follow
  Effect effect = Effect::kDrop;
  std::string_view text;
};

/// The options of a vendor; nullptr: not known. From Open MPI's mpirun(1) of 3 to 5, MPICH's Hydra and Intel
/// MPI's reference.
[[nodiscard]] const MpiOption* find_option(std::string_view name, Mpi mpi);

} // namespace fluxhook::migrate
