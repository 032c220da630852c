#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "fluxhook/kube/config.h"
#include "fluxhook/kube/error.h"

namespace fluxhook::kube {

/// As whom requests are made now.
struct Identity {
  std::string authorization; ///< the header's value; "": none
  Pem certificate, key;      ///< both or neither
};

/// The credentials of a configuration, kept up to date: the token file is read again when `refresh` has
/// passed, a plugin is asked again when its credential expires, and both when the server says 401. For one
/// thread.
class Credentials {
public:
  /// `config` has to outlive it.
  Credentials(const Config& config, std::chrono::milliseconds refresh);

  /// Error: kCredentials or kStopped.
  [[nodiscard]] ApiResult<Identity> current(const std::stop_token& stop);

  /// Makes the next current() ask the source again. false: there is none to ask, a 401 is final.
  [[nodiscard]] bool renew();

private:
  Result<void> read_token();
  Result<void> ask_plugin(const std::stop_token& stop);

  const Config& config_;
  std::chrono::milliseconds refresh_;
  Identity identity_;
  bool by_file_, by_plugin_;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
  std::optional<std::chrono::system_clock::time_point> expires_;
  bool asked_ = false;
};

} // namespace fluxhook::kube
