#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "fluxhook/base/result.h"
#include "fluxhook/kube/client.h"
#include "fluxhook/kube/config.h"
#include "fluxhook/server/log.h"
#include "fluxhook/server/server.h"

namespace fluxhook::cli {

/// Where a server is, as the cluster calls it: see certs::KeeperOptions.
struct Installation {
  std::string name, name_space, cluster_domain;
};

/// Looks after a server's certificate in the cluster, by a thread of its own, which ends with it.
class CertificateCare {
public:
  enum class Work : std::uint8_t {
    kKeep,    ///< makes, renews and spreads it (certs::Keeper); needs Options::given
    kObserve, ///< asks whether callers trust what others have made (certs::Observer); needs Options::doubt
  };

  /// Asks nobody yet. Error: a part of `config` that can't be used.
  [[nodiscard]] static Result<std::unique_ptr<CertificateCare>> open(Work work, const kube::Config& config,
                                                                     Installation installation,
                                                                     std::shared_ptr<const server::Log> log);
  /// Begins. `server` has to outlive it.
  void start(server::Server& server);
  /// Looks now, and not later.
  void look_again();

private:
  void keep(server::Server& server, const std::stop_token& stop);
  void observe(server::Server& server, const std::stop_token& stop);
  [[nodiscard]] bool wait(std::chrono::milliseconds time, const std::stop_token& stop);

  Work work_ = Work::kKeep;
  std::unique_ptr<kube::Client> client_;
  Installation installation_;
  std::shared_ptr<const server::Log> log_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool again_ = false;
  std::jthread thread_; ///< the last: it uses the others
};

} // namespace fluxhook::cli
