#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "fluxhook/base/note.h"
#include "fluxhook/certs/ca_bundle.h"
#include "fluxhook/certs/secret.h"
#include "fluxhook/kube/client.h"
#include "fluxhook/kube/time.h"

namespace fluxhook::certs {

/// Where the server is, and whom the keeper tells what.
struct KeeperOptions {
  std::string name = "fluxhook"; ///< of the Service and both webhook configurations; the Secret is NAME-tls
  std::string name_space;        ///< of Service and Secret
  std::string cluster_domain = "cluster.local";
  std::chrono::milliseconds period{60'000}; ///< between two looks when all is well
  std::function<Time()> now = wall_clock;
  kube::Sleep sleep = kube::sleep_for;

  // Called from the keeper's thread.
  /// This certificate is to be served from now on. False: it can't be; it is asked again at the next look.
  std::function<bool(const Pair&)> serve;
  /// Why callers may not trust what is served; "" when both configurations vouch for it. Called on a change.
  std::function<void(const std::string& doubt)> doubt;
  std::function<void(const Note&)> log = [](const Note&) {};
};

/// Keeps CA and serving certificate in the Secret NAME-tls, renews them in time, and makes both webhook
/// configurations trust them. Any number of replicas do so at once and agree: every write names the version
/// that it replaces, and whoever comes second reads again. A certificate of a new CA is served only when both
/// configurations trust that CA; the one before it stays trusted until nobody can serve a certificate of it.
/// For one thread.
class Keeper {
public:
  /// `client` has to outlive it, and is for it alone.
  Keeper(kube::Client& client, KeeperOptions options);

  /// Looks again and again until it is stopped; after a fault soon, then less and less often.
  void run(const std::stop_token& stop);

  /// Reads Secret and configurations and puts right what has to be. False: it is not all well.
  bool look(const std::stop_token& stop = {});

private:
  /// How a part of a look ended; kAgain: others wrote in between, so all of it is out of date.
  enum class Done : std::uint8_t { kWell, kTrouble, kAgain };

  /// `known`: record_ is what the Secret has now.
  struct Agreed {
    Done done = Done::kTrouble;
    bool known = false;
  };

  [[nodiscard]] Done look_once(const std::stop_token& stop);
  [[nodiscard]] Agreed agree(const std::stop_token& stop);
  [[nodiscard]] Done write(const std::optional<StoredSecret>& stored, const Decision& decision,
                           const std::stop_token& stop);
  [[nodiscard]] Done put_right(WebhookKind kind, const std::stop_token& stop);
  void hand_over();
  void judge();
  [[nodiscard]] std::string doubt_about(WebhookKind kind);

  Done trouble(const std::string& about, const std::string& message, const kube::ApiError& error);
  [[nodiscard]] std::string secret_name() const { return options_.name + "-tls"; }

  kube::Client& client_;
  KeeperOptions options_;
  Record record_; ///< as the Secret has it: what is served, or will be
  std::optional<Pair> served_;
  std::map<WebhookKind, kube::ApiResult<Configuration>> configurations_; ///< as last read
  std::map<WebhookKind, Configuration> seen_;   ///< the last that could be read, unless it is gone
  std::map<WebhookKind, std::string> trusted_;  ///< the authorities that each of them was last known to trust
  std::map<std::string, std::string> troubles_; ///< as last logged, by what they are about
  std::optional<std::string> doubt_;            ///< as last told
};

} // namespace fluxhook::certs
