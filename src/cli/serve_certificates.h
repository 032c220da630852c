#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "fluxhook/base/result.h"
#include "fluxhook/certs/keeper.h"
#include "fluxhook/kube/client.h"
#include "fluxhook/server/log.h"
#include "fluxhook/server/server.h"

namespace fluxhook::cli {

/// Where a self-managed certificate is kept: see certs::KeeperOptions.
struct SelfManagedFlags {
  std::string kubeconfig, context;
  std::string name_space; ///< empty: that of the configuration
  std::string name, cluster_domain;
};

/// Keeps a server's certificate by a thread of its own, which ends with it.
class SelfManaged {
public:
  /// Asks nobody yet. Error: no way to the cluster is known, or a part of it can't be used.
  [[nodiscard]] static Result<std::unique_ptr<SelfManaged>> open(const SelfManagedFlags& flags,
                                                                 std::shared_ptr<const server::Log> log);
  /// Begins. `server`, set up with Options::given, has to outlive it.
  void start(server::Server& server);
  /// Looks at Secret and configurations now, and not in a minute.
  void look_again();

private:
  [[nodiscard]] bool wait(std::chrono::milliseconds time, const std::stop_token& stop);

  std::unique_ptr<kube::Client> client_;
  certs::KeeperOptions options_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool again_ = false;
  std::jthread thread_; ///< the last: it uses the others
};

} // namespace fluxhook::cli
