/// Module kube: a client of the Kubernetes API: kubeconfig and in-cluster configuration, requests, list and
/// watch, leases, events.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook::kube {

/// A file's text, or what stands for one, and how messages call it.
struct Pem {
  std::string text;   ///< empty: there is none
  std::string source; ///< a path, or 'FILE: user "x": client-key-data'
};

/// A credential plugin, as a kubeconfig describes it (client.authentication.k8s.io).
struct ExecPlugin {
  std::string api_version; ///< …/v1 or …/v1beta1
  std::string command;     ///< a path, or a name to look for in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env; ///< besides the process's own
  bool provide_cluster_info = false;
  std::string interactive_mode = "IfAvailable"; ///< Never, IfAvailable or Always
  std::string install_hint;
  std::string cluster_config; ///< JSON of the cluster's extension client.authentication.k8s.io/exec, or empty
};

/// How to reach an API server, and as whom.
struct Config {
  std::string origin;          ///< for messages: 'FILE: context "x"', or "in-cluster configuration"
  std::string server;          ///< URL, with a path where the API is below one
  std::string tls_server_name; ///< the name that the certificate is for, when it is not the URL's host
  Pem ca;                      ///< empty: those that the system trusts
  std::string ca_hint = "is certificate-authority that of this cluster?"; ///< for messages: where to look
  bool insecure_skip_tls_verify = false;

  Pem client_certificate, client_key; ///< both or neither
  std::string token;
  std::string token_file; ///< read again and again; what it holds goes before `token`
  std::string username, password;
  std::optional<ExecPlugin> exec; ///< asked only when nothing of the above identifies the user

  std::string name_space = "default";
};

/// Where a configuration is looked for. What is not set stands for the process's own.
struct ConfigSource {
  std::string kubeconfig;                                   ///< --kubeconfig FILE: this file and nothing else
  std::string context;                                      ///< --context NAME instead of current-context
  std::function<std::string(const char* name)> environment; ///< a variable's value, "" when it is not set
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount"; ///< what a pod mounts
};

/// Finds the configuration: --kubeconfig; or else KUBECONFIG, paths separated by colons, merged as kubectl
/// merges them (the first file to name an entry or a current-context has it; missing files are passed over);
/// or else ~/.kube/config; or else, when none of these exists or they say nothing, what a pod is given
/// (KUBERNETES_SERVICE_HOST, …_PORT and the service account's token). A context that is asked for has to be
/// in a file. All files are read and checked, so that nothing but the token file is needed later.
/// Error: one line that names the file, with line and column where YAML is at fault, the entry, and what
/// would be right.
[[nodiscard]] Result<Config> load_config(const ConfigSource& source);

} // namespace fluxhook::kube
