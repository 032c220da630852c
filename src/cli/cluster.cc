#include "cli/cluster.h"

#include <CLI/CLI.hpp>

#include "fluxhook/kube/config.h"

namespace fluxhook::cli {

void add_cluster(CLI::App& command, ClusterFlags& flags) {
  command.add_option("--kubeconfig", flags.kubeconfig, "How to reach the cluster")
      ->type_name("FILE")
      ->group("Cluster");
  command.add_option("--context", flags.context, "Context of the kubeconfig")
      ->type_name("NAME")
      ->group("Cluster");
}

std::unique_ptr<kube::Client> open_cluster(const ClusterFlags& flags, Context& context) {
  const auto config = kube::load_config({.kubeconfig = flags.kubeconfig, .context = flags.context});
  if (!config) return context.fail(config.error().text()), nullptr;
  auto client = kube::Client::open(*config);
  if (!client) return context.fail(client.error().text()), nullptr;
  return std::move(*client);
}

void report(const kube::ApiError& error, Context& context) {
  using kube::ErrorKind;
  const bool reached = error.kind != ErrorKind::kUnreachable && error.kind != ErrorKind::kTls &&
                       error.kind != ErrorKind::kCredentials && error.kind != ErrorKind::kMalformed;
  context.fail(error.text(), reached ? kNoAnswer : kUnreachable);
}

} // namespace fluxhook::cli
