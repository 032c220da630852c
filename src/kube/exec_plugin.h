#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/kube/config.h"

namespace fluxhook::kube {

/// What a credential plugin answers: a token, a certificate with its key, or both.
struct ExecCredential {
  std::string token;
  Pem certificate, key;
  std::optional<std::chrono::system_clock::time_point> expires;
};

/// Runs the plugin, which is that of `config`, and reads what it writes to its standard output
/// (client.authentication.k8s.io, ExecCredential). Its standard error is ours; standard input too, where it
/// may be interactive and there is a terminal. A stop ends it. Error: it can't be run (with the install
/// hint), fails, or writes something else.
[[nodiscard]] Result<ExecCredential> run_exec_plugin(const Config& config, const ExecPlugin& plugin,
                                                     const std::stop_token& stop);

} // namespace fluxhook::kube
