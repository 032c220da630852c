#pragma once

#include <span>
#include <string>

#include "migrate/fields.h"

namespace fluxhook::migrate {

/// What becomes of each field of a MiniCluster; those of containers and services are the same.
[[nodiscard]] std::span<const Row> minicluster_rows();

/// A container of a MiniCluster as one of a pod, without what its command is; what belongs to the pod goes
/// there. What becomes of its name is for the caller to note.
[[nodiscard]] Node convert_container(Migration& migration, const Node& source, const std::string& field,
                                     Node& pod);

/// Gives the pod a MiniCluster container's volumes, and the container their mounts.
void convert_volumes(Migration& migration, const Node& source, const std::string& field, Node& pod,
                     Node& container);

/// Gives the container that runs Flux its command: the source's, with what is to run before and after it, or
/// its batch of jobs. Returns whether it starts Flux jobs by itself, so that Flux is to start it once.
bool convert_flux_command(Migration& migration, const Node& source, const std::string& field,
                          Node& container);
/// The same of a container beside it.
void convert_side_command(Migration& migration, const Node& source, const std::string& field,
                          Node& container);

} // namespace fluxhook::migrate
