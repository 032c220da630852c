#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "fluxhook/kube/client.h"

namespace fluxhook::cli {

/// The Deployment of an installation, and what its arguments make of the server.
struct Deployed {
  nlohmann::json object; ///< null: not read
  std::string account;   ///< the ServiceAccount; where it can't be read, the one of the installation's name
  /// Whether the next ones are known. Not: the Deployment can't be read, has no `serve`, takes a
  /// configuration file, or has a variable there.
  bool known = false;
  bool self_managed = false; ///< --tls-self-managed
  bool controller = true;    ///< not --controller off
  std::string
      key_secret; ///< the master key's Secret; empty: --curve-key, --curve-derivation, or no controller
};

/// Reads Deployment NAME of a namespace; what can't be read stays unknown.
[[nodiscard]] Deployed read_deployed(kube::Client& client, const std::string& name_space,
                                     const std::string& name);

} // namespace fluxhook::cli
