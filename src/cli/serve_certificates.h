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
#include "fluxhook/kube/config.h"
#include "fluxhook/server/log.h"
#include "fluxhook/server/server.h"

namespace fluxhook::cli {

/// Keeps a server's certificate by a thread of its own, which ends with it.
class SelfManaged {
public:
  /// Asks nobody yet. The Secret is in the namespace of `config`; `name` and `cluster_domain`: see
  /// certs::KeeperOptions. Error: a part of `config` that can't be used.
  [[nodiscard]] static Result<std::unique_ptr<SelfManaged>> open(const kube::Config& config, std::string name,
                                                                 std::string cluster_domain,
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
