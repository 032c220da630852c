#include "kube/exec_plugin.h"

#include <modp_b64.h>
#include <unistd.h>

#include <chrono>
#include <format>

#include "fluxhook/base/text.h"
#include "fluxhook/kube/time.h"
#include "kube/child.h"
#include "kube/json.h"
#include "kube/pem.h"
#include "kube/status.h"

namespace fluxhook::kube {

namespace {

std::string name_of(const Config& config, const ExecPlugin& plugin) {
  return std::format("{}: exec plugin {}", config.origin, fluxhook::in_quotes(plugin.command));
}

/// KUBERNETES_EXEC_INFO.
json exec_info(const Config& config, const ExecPlugin& plugin, bool interactive) {
  json info{{"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}};
  info["spec"]["interactive"] = interactive;
  if (!plugin.provide_cluster_info) return info;
  json& cluster = info["spec"]["cluster"];
  cluster["server"] = config.server;
  if (!config.tls_server_name.empty()) cluster["tls-server-name"] = config.tls_server_name;
  if (config.insecure_skip_tls_verify) cluster["insecure-skip-tls-verify"] = true;
  if (!config.ca.text.empty()) cluster["certificate-authority-data"] = modp::b64_encode(config.ca.text);
  cluster["config"] = plugin.cluster_config.empty() ? json() : parse_json(plugin.cluster_config);
  return info;
}

Result<ExecCredential> read_credential(const std::string& output, const Config& config,
                                       const ExecPlugin& plugin) {
  const std::string name = name_of(config, plugin);
  const json answer = parse_json(output);
  if (text_of(answer, "kind") != "ExecCredential")
    return fail(name, "wrote no ExecCredential, but " + fluxhook::in_quotes(one_line(output.substr(0, 100))));
  if (const std::string version = text_of(answer, "apiVersion"); version != plugin.api_version)
    return fail(name, std::format("answers with {}, the kubeconfig wants {}", fluxhook::in_quotes(version),
                                  fluxhook::in_quotes(plugin.api_version)));
  const json* const status = member(answer, "status");
  if (status == nullptr) return fail(name, "its answer has no status");
  ExecCredential credential{.token = text_of(*status, "token")};
  credential.certificate = {text_of(*status, "clientCertificateData"), name + ": clientCertificateData"};
  credential.key = {text_of(*status, "clientKeyData"), name + ": clientKeyData"};
  const bool certificate = !credential.certificate.text.empty(), key = !credential.key.text.empty();
  if (certificate != key)
    return fail(name, "its answer has only one of clientCertificateData and clientKeyData");
  if (!certificate && credential.token.empty())
    return fail(name, "its answer has neither a token nor a certificate");
  if (certificate) {
    const auto good =
        check_client_pair(credential.certificate, credential.key, std::chrono::system_clock::now());
    if (!good) return std::unexpected(good.error());
  }
  const std::string expires = text_of(*status, "expirationTimestamp");
  credential.expires = parse_time(expires);
  if (!expires.empty() && !credential.expires)
    return fail(name, "expirationTimestamp " + fluxhook::in_quotes(expires) + " is no RFC 3339 time");
  return credential;
}

} // namespace

Result<ExecCredential> run_exec_plugin(const Config& config, const ExecPlugin& plugin,
                                       const std::stop_token& stop) {
  constexpr std::size_t kMost = 1U << 20U;
  const bool interactive = plugin.interactive_mode != "Never" && ::isatty(STDIN_FILENO) == 1;
  if (plugin.interactive_mode == "Always" && !interactive)
    return fail(name_of(config, plugin),
                "needs a terminal (interactiveMode: Always), and standard input is none");
  auto environment = own_environment();
  for (const auto& [name, value] : plugin.env)
    environment[name] = value;
  environment["KUBERNETES_EXEC_INFO"] = to_text(exec_info(config, plugin, interactive));
  std::vector<std::string> command{plugin.command};
  command.insert(command.end(), plugin.args.begin(), plugin.args.end());
  const auto finished = run_child(command, environment, interactive, kMost, stop);
  if (!finished) {
    const std::string hint = plugin.install_hint.empty() ? "" : " (" + one_line(plugin.install_hint) + ")";
    return fail(name_of(config, plugin), finished.error().what + hint);
  }
  if (finished->exit_code != 0)
    return fail(name_of(config, plugin), std::format("failed with exit code {}", finished->exit_code));
  return read_credential(finished->output, config, plugin);
}

} // namespace fluxhook::kube
