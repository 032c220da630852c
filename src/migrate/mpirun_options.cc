#include <algorithm>
#include <array>

#include "migrate/mpirun.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kHosts = "Flux knows its nodes: there is no host file";
constexpr std::string_view kStart = "Flux starts the tasks: there is no ssh and no daemon of mpirun's";
constexpr std::string_view kPlace = "Flux places the tasks, the same number on each node";
constexpr std::string_view kRoot = "flux run has no such check";
constexpr std::string_view kSaidByFlux =
    "flux run says it otherwise: see the settings log-level and run-options";
constexpr std::string_view kFiles = "the output goes to the lead's log";
constexpr std::string_view kTools = "debuggers and tracers of mpirun are not there";
constexpr std::string_view kRestart = "a failure ends the job, and JobSet's failurePolicy restarts all pods";
constexpr std::string_view kPlacement =
    "it places tasks in a way that has to be said by run-options, or left to Flux";
constexpr std::string_view kFile = "it is read from a file that can't be seen here";
constexpr std::string_view kNetwork = "MPI finds its network by itself: variables can tell it";

constexpr std::array kOpenMpi{
    MpiOption{"np", 1, Effect::kTasks, {}},
    MpiOption{"n", 1, Effect::kTasks, {}},
    MpiOption{"c", 1, Effect::kTasks, {}},
    MpiOption{"N", 1, Effect::kPerNode, {}},
    MpiOption{"npernode", 1, Effect::kPerNode, {}},
    MpiOption{"pernode", 0, Effect::kOnePerNode, {}},
    MpiOption{"npersocket", 1, Effect::kDecide, kPlacement},
    MpiOption{"cpus-per-proc", 1, Effect::kCores, {}},
    MpiOption{"cpus-per-rank", 1, Effect::kCores, {}},
    MpiOption{"map-by", 1, Effect::kMapBy, {}},
    MpiOption{"bind-to", 1, Effect::kBind, {}},
    MpiOption{"rank-by", 1, Effect::kDecide, kPlacement},
    MpiOption{"x", 1, Effect::kExport, {}},
    MpiOption{"mca", 2, Effect::kMca, {}},
    MpiOption{"gmca", 2, Effect::kMca, {}},
    MpiOption{"omca", 2, Effect::kMca, {}},
    MpiOption{"prtemca", 2, Effect::kDrop, kStart},
    MpiOption{"pmixmca", 2, Effect::kDrop, kStart},
    MpiOption{"wdir", 1, Effect::kDirectory, {}},
    MpiOption{"wd", 1, Effect::kDirectory, {}},
    MpiOption{"timeout", 1, Effect::kTimeLimit, {}},
    MpiOption{"tag-output", 0, Effect::kLabel, {}},
    MpiOption{"H", 1, Effect::kDrop, kHosts},
    MpiOption{"host", 1, Effect::kDrop, kHosts},
    MpiOption{"hostfile", 1, Effect::kDrop, kHosts},
    MpiOption{"machinefile", 1, Effect::kDrop, kHosts},
    MpiOption{"default-hostfile", 1, Effect::kDrop, kHosts},
    MpiOption{"nolocal", 0, Effect::kDrop, kHosts},
    MpiOption{"rankfile", 1, Effect::kDecide, kFile},
    MpiOption{"rf", 1, Effect::kDecide, kFile},
    MpiOption{"app", 1, Effect::kDecide, kFile},
    MpiOption{"tune", 1, Effect::kDecide, kFile},
    MpiOption{"am", 1, Effect::kDecide, kFile},
    MpiOption{"allow-run-as-root", 0, Effect::kDrop, kRoot},
    MpiOption{"oversubscribe", 0, Effect::kDrop, kPlace},
    MpiOption{"nooversubscribe", 0, Effect::kDrop, kPlace},
    MpiOption{"bynode", 0, Effect::kDrop, kPlace},
    MpiOption{"byslot", 0, Effect::kDrop, kPlace},
    MpiOption{"use-hwthread-cpus", 0, Effect::kDrop, kPlace},
    MpiOption{"bind-to-core", 0, Effect::kDrop, kPlace},
    MpiOption{"bind-to-socket", 0, Effect::kDrop, kPlace},
    MpiOption{"bind-to-none", 0, Effect::kDrop, kPlace},
    MpiOption{"cpu-set", 1, Effect::kDecide, kPlacement},
    MpiOption{"cpu-list", 1, Effect::kDecide, kPlacement},
    MpiOption{"report-bindings", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"display-map", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"display-devel-map", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"display-allocation", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"display", 1, Effect::kDrop, kSaidByFlux},
    MpiOption{"v", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"verbose", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"q", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"quiet", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"show-progress", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"timestamp-output", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"output", 1, Effect::kDrop, kFiles},
    MpiOption{"output-filename", 1, Effect::kDrop, kFiles},
    MpiOption{"merge-stderr-to-stdout", 0, Effect::kDrop, kFiles},
    MpiOption{"stdin", 1, Effect::kDrop, "pods have no standard input"},
    MpiOption{"xterm", 1, Effect::kDrop, kTools},
    MpiOption{"debug-daemons", 0, Effect::kDrop, kStart},
    MpiOption{"leave-session-attached", 0, Effect::kDrop, kStart},
    MpiOption{"launch-agent", 1, Effect::kDrop, kStart},
    MpiOption{"novm", 0, Effect::kDrop, kStart},
    MpiOption{"prefix", 1, Effect::kDrop, kStart},
    MpiOption{"noprefix", 0, Effect::kDrop, kStart},
    MpiOption{"path", 1, Effect::kDecide, "it says where programs are looked for: give the program's path"},
    MpiOption{"personality", 1, Effect::kDrop, kStart},
    MpiOption{"max-restarts", 1, Effect::kDrop, kRestart},
    MpiOption{"enable-recovery", 0, Effect::kDrop, kRestart},
    MpiOption{"disable-recovery", 0, Effect::kDrop, kRestart},
    MpiOption{"continuous", 0, Effect::kDrop, kRestart},
    MpiOption{"report-uri", 1, Effect::kDrop, kStart},
    MpiOption{"report-pid", 1, Effect::kDrop, kStart},
    MpiOption{"get-stack-traces", 0, Effect::kDrop, kTools},
};

constexpr std::array kHydra{
    MpiOption{"n", 1, Effect::kTasks, {}},
    MpiOption{"np", 1, Effect::kTasks, {}},
    MpiOption{"ppn", 1, Effect::kPerNode, {}},
    MpiOption{"perhost", 1, Effect::kPerNode, {}},
    MpiOption{"grr", 1, Effect::kPerNode, {}},
    MpiOption{"rr", 0, Effect::kOnePerNode, {}},
    MpiOption{"genv", 2, Effect::kSetEnv, {}},
    MpiOption{"env", 2, Effect::kSetEnv, {}},
    MpiOption{"genvlist", 1, Effect::kEnvList, {}},
    MpiOption{"envlist", 1, Effect::kEnvList, {}},
    MpiOption{"genvall", 0, Effect::kEnvAll, {}},
    MpiOption{"envall", 0, Effect::kEnvAll, {}},
    MpiOption{"genvnone", 0, Effect::kEnvNone, {}},
    MpiOption{"envnone", 0, Effect::kEnvNone, {}},
    MpiOption{"wdir", 1, Effect::kDirectory, {}},
    MpiOption{"gwdir", 1, Effect::kDirectory, {}},
    MpiOption{"l", 0, Effect::kLabel, {}},
    MpiOption{"prepend-rank", 0, Effect::kLabel, {}},
    MpiOption{"bind-to", 1, Effect::kBind, {}},
    MpiOption{"binding", 1, Effect::kDrop, kPlace},
    MpiOption{"map-by", 1, Effect::kMapBy, {}},
    MpiOption{"membind", 1, Effect::kDrop, kPlace},
    MpiOption{"order-nodes", 0, Effect::kDrop, kPlace},
    MpiOption{"f", 1, Effect::kDrop, kHosts},
    MpiOption{"hostfile", 1, Effect::kDrop, kHosts},
    MpiOption{"machinefile", 1, Effect::kDrop, kHosts},
    MpiOption{"machine", 1, Effect::kDrop, kHosts},
    MpiOption{"hosts", 1, Effect::kDrop, kHosts},
    MpiOption{"host", 1, Effect::kDrop, kHosts},
    MpiOption{"localhost", 1, Effect::kDrop, kHosts},
    MpiOption{"nolocal", 0, Effect::kDrop, kHosts},
    MpiOption{"rmk", 1, Effect::kDrop, kHosts},
    MpiOption{"disable-hostname-propagation", 0, Effect::kDrop, kHosts},
    MpiOption{"iface", 1, Effect::kDrop, kNetwork},
    MpiOption{"bootstrap", 1, Effect::kDrop, kStart},
    MpiOption{"bootstrap-exec", 1, Effect::kDrop, kStart},
    MpiOption{"bootstrap-exec-args", 1, Effect::kDrop, kStart},
    MpiOption{"launcher", 1, Effect::kDrop, kStart},
    MpiOption{"launcher-exec", 1, Effect::kDrop, kStart},
    MpiOption{"branch-count", 1, Effect::kDrop, kStart},
    MpiOption{"demux", 1, Effect::kDrop, kStart},
    MpiOption{"usize", 1, Effect::kDrop, kStart},
    MpiOption{"tmpdir", 1, Effect::kDrop, kStart},
    MpiOption{"pmi-port", 0, Effect::kDrop, kStart},
    MpiOption{"pmi-connect", 1, Effect::kDrop, kStart},
    MpiOption{"path", 1, Effect::kDecide, "it says where programs are looked for: give the program's path"},
    MpiOption{"gpath", 1, Effect::kDecide, "it says where programs are looked for: give the program's path"},
    MpiOption{"configfile", 1, Effect::kDecide, kFile},
    MpiOption{"tune", 1, Effect::kDecide, kFile},
    MpiOption{"cleanup", 0, Effect::kDrop, kRestart},
    MpiOption{"disable-auto-cleanup", 0, Effect::kDrop, kRestart},
    MpiOption{"print-rank-map", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"print-all-exitcodes", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"v", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"verbose", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"silent-abort", 0, Effect::kDrop, kSaidByFlux},
    MpiOption{"ordered-output", 0, Effect::kDrop, kFiles},
    MpiOption{"outfile-pattern", 1, Effect::kDrop, kFiles},
    MpiOption{"outfile", 1, Effect::kDrop, kFiles},
    MpiOption{"errfile-pattern", 1, Effect::kDrop, kFiles},
    MpiOption{"errfile", 1, Effect::kDrop, kFiles},
    MpiOption{"s", 1, Effect::kDrop, "pods have no standard input"},
    MpiOption{"gtool", 1, Effect::kDecide, kTools},
    MpiOption{"gdb", 0, Effect::kDrop, kTools},
    MpiOption{"trace", 0, Effect::kDrop, kTools},
    MpiOption{"check-mpi", 0, Effect::kDrop, kTools},
    MpiOption{"aps", 0, Effect::kDrop, kTools},
    MpiOption{"profile", 0, Effect::kDrop, kTools},
};

} // namespace

const MpiOption* find_option(std::string_view name, Mpi mpi) {
  const auto find_in = [&](const auto& table) -> const MpiOption* {
    const auto found = std::ranges::find(table, name, &MpiOption::name);
    return found == table.end() ? nullptr : &*found;
  };
  return mpi == Mpi::kOpenMpi ? find_in(kOpenMpi) : find_in(kHydra);
}

} // namespace fluxhook::migrate
