#pragma once

#include <memory>
#include <string>

#include "cli/commands.h"
#include "fluxhook/kube/client.h"
#include "fluxhook/kube/error.h"

namespace fluxhook::cli {

/// Which cluster is meant.
struct ClusterFlags {
  std::string kubeconfig, context;

  [[nodiscard]] bool given() const { return !kubeconfig.empty() || !context.empty(); }
};

/// Adds --kubeconfig and --context.
void add_cluster(CLI::App& command, ClusterFlags& flags);

/// A client of the cluster; nullptr: told is why there is none.
[[nodiscard]] std::unique_ptr<kube::Client> open_cluster(const ClusterFlags& flags, Context& context);

/// Tells it, and leaves kUnreachable when nobody has answered, else kNoAnswer.
void report(const kube::ApiError& error, Context& context);

} // namespace fluxhook::cli
