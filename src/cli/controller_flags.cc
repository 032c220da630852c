#include "cli/controller_flags.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/note_writer.h"
#include "cli/options.h"
#include "fluxhook/k8s/names.h"
#include "fluxhook/kube/config.h"

namespace fluxhook::cli {
namespace {

bool in_a_pod() {
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  std::error_code ignored;
  return host != nullptr && *host != '\0' &&
         std::filesystem::exists(kube::ConfigSource().service_account + "/token", ignored);
}

/// A check for CLI11: an object's name.
std::string check_name(const std::string& name) {
  const std::string fault = k8s::check_dns1123_subdomain(name);
  return fault.empty() ? fault : k8s::invalid({}, name, fault).message();
}

/// Where curve keys come from; none: the Secret.
Result<std::optional<companion::CurveSource>> curve_of(const ControllerFlags& flags, const server::Log& log) {
  std::optional<companion::CurveSource> curve;
  if (!flags.curve_derivation.empty()) {
    log.warn(
        "curve keys are derived from JobSets' uids: whoever can read a JobSet can join its Flux instance; "
        "--curve-key or --curve-key-secret is safer");
    curve.emplace().from_uid = true;
  } else if (!flags.curve_key.empty()) {
    const auto key = companion::read_master_key(flags.curve_key);
    if (!key) return std::unexpected(key.error());
    curve.emplace().master = *key;
  }
  return curve;
}

} // namespace

bool ControllerFlags::on() const { return controller == "on" || (controller == "auto" && in_a_pod()); }

void add_controller(CLI::App& app, ControllerFlags& flags) {
  constexpr auto kGroup = "Controller";
  one_of(app.add_option("--controller", flags.controller,
                        "Create the ConfigMap and the Secret of each JobSet; auto: inside a cluster"),
         "auto|on|off")
      ->capture_default_str()
      ->group(kGroup);
  const auto add = [&](const char* name, std::string& into, const char* type, const char* about) {
    return app.add_option(name, into, about)->type_name(type)->group(kGroup);
  };
  add("--kubeconfig", flags.kubeconfig, "FILE",
      "How to reach the cluster; else as kubectl does, or as a pod");
  add("--context", flags.context, "NAME", "Context of the kubeconfig");
  add("--namespace", flags.name_space, "NAME",
      "Where the server's own objects are; else the pod's, or the context's")
      ->check(check_name);
  add("--name", flags.name, "NAME",
      "Of the Service, both webhook configurations, the Lease, and the server's other objects")
      ->capture_default_str()
      ->check(check_name);
  add("--curve-key", flags.curve_key, "FILE", "The master key that curve keys are derived from, 32 bytes");
  add("--curve-key-secret", flags.curve_key_secret, "NAME",
      "The Secret that holds it, made when there is none (NAME-curve-key)")
      ->check(check_name);
  one_of(app.add_option("--curve-derivation", flags.curve_derivation,
                        "Derive them from the uid alone, without a key"),
         "uid")
      ->group(kGroup);
}

std::string check_controller(const ControllerFlags& flags, bool self_managed) {
  // --namespace and --name say which installation this is, whatever of it is switched on.
  const std::array<std::pair<bool, const char*>, 5> used{{
      {!self_managed && !flags.kubeconfig.empty(), "--kubeconfig"},
      {!self_managed && !flags.context.empty(), "--context"},
      {!flags.curve_key.empty(), "--curve-key"},
      {!flags.curve_key_secret.empty(), "--curve-key-secret"},
      {!flags.curve_derivation.empty(), "--curve-derivation"},
  }};
  const bool on = flags.on();
  for (const auto& [is_used, name] : used)
    if (is_used && !on)
      return std::string(name) + " needs --controller on" +
             (flags.controller == "auto" ? ": auto is off outside of a cluster" : "");
  const int keys = int{!flags.curve_key.empty()} + int{!flags.curve_key_secret.empty()} +
                   int{!flags.curve_derivation.empty()};
  if (keys > 1) return "--curve-key, --curve-key-secret and --curve-derivation exclude each other";
  return {};
}

Result<kube::Config> cluster_config(const ControllerFlags& flags) {
  auto config =
      kube::load_config({.kubeconfig = flags.kubeconfig, .context = flags.context, .environment = {}});
  if (config && !flags.name_space.empty()) config->name_space = flags.name_space;
  return config;
}

Result<companion::ControllerOptions> controller_options(const ControllerFlags& flags,
                                                        const kube::Config& config,
                                                        const flux::Defaults& defaults,
                                                        const std::shared_ptr<const server::Log>& log) {
  auto curve = curve_of(flags, *log);
  if (!curve) return std::unexpected(curve.error());
  companion::ControllerOptions options{.config = config, .name_space = config.name_space};
  options.name = flags.name;
  options.label = defaults.label;
  options.cluster_domain = defaults.cluster_domain;
  options.curve = std::move(*curve);
  options.key_secret = flags.curve_key_secret.empty() ? flags.name + "-curve-key" : flags.curve_key_secret;
  options.log = note_writer(log);
  log->info("controller", {{"cluster", options.config.server},
                           {"configuration", options.config.origin},
                           {"namespace", options.name_space},
                           {"lease", options.name}});
  return options;
}

} // namespace fluxhook::cli
