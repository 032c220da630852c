#pragma once

#include <memory>
#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/companion/controller.h"
#include "fluxhook/flux/settings.h"
#include "fluxhook/kube/config.h"
#include "fluxhook/server/log.h"

namespace CLI {
class App;
}

namespace fluxhook::cli {

/// The flags of `serve` that are about the cluster.
struct ControllerFlags {
  std::string controller = "auto";
  std::string kubeconfig, context, name_space, name = "fluxhook";
  std::string curve_key, curve_key_secret, curve_derivation;

  /// Whether there is a controller: auto is on in a pod that has a service account's token.
  [[nodiscard]] bool on() const;
};

/// Adds them; `flags` has to outlive `app`.
void add_controller(CLI::App& app, ControllerFlags& flags);

/// Why the flags can't be taken together; "" when they can. Asks for on() only. `self_managed`: the
/// certificate is kept in the cluster, controller or not.
[[nodiscard]] std::string check_controller(const ControllerFlags& flags, bool self_managed);

/// The way to the cluster; its namespace is where the server's own objects are. Error: no configuration that
/// can be used.
[[nodiscard]] Result<kube::Config> cluster_config(const ControllerFlags& flags);

/// A controller's options, as the flags say; it logs to `log`. Error: a key that can't be used.
[[nodiscard]] Result<companion::ControllerOptions>
controller_options(const ControllerFlags& flags, const kube::Config& config, const flux::Defaults& defaults,
                   const std::shared_ptr<const server::Log>& log);

/// The controller's metrics in Prometheus' text format.
[[nodiscard]] std::string metrics_text(const companion::Figures& figures);

} // namespace fluxhook::cli
