#pragma once

#include "migrate/launcher.h"

namespace fluxhook::migrate {

/// Notes what becomes of what a worker beside a launcher ran so that mpirun could reach it, and takes the
/// probes that ask for sshd out of the JobSet's main container; the other probes asked for what runs no more,
/// and are for somebody to decide.
void drop_worker_start(Migration& migration, const MpiJob& job, Node& main);

} // namespace fluxhook::migrate
