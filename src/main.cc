#include <sys/prctl.h>

#include <csignal>

#include "fluxhook/cli/cli.h"

int main(int argc, char** argv) {
  // Keys pass through this process: no core dump has them, and nobody but root may read its memory.
  prctl(PR_SET_DUMPABLE, 0);
  std::signal(SIGXFSZ,
              SIG_IGN); // a write past `ulimit -f` then fails as on a full disk, and is told and cleaned up
  return fluxhook::cli::run(argc, argv);
}
