#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "fluxhook/base/note.h"
#include "fluxhook/certs/ca_bundle.h"
#include "fluxhook/certs/issue.h"
#include "fluxhook/kube/client.h"
#include "fluxhook/kube/time.h"

namespace fluxhook::certs {

/// Why an API server that calls this webhook would not trust a chain, PEM with the leaf first, at `now`; ""
/// when it would. It trusts the caBundle and nothing else, each certificate of it by itself, and asks for the
/// Service's name, NAME.NAMESPACE.svc (k8s.io/apiserver, pkg/util/webhook/client.go). Not told for what can't
/// be known from here: a webhook that is called by a URL, for its name, and one without a caBundle, for which
/// the roots of the API server's machine count.
[[nodiscard]] std::string distrust(const Webhook& webhook, const std::string& chain, Time now);

/// What is known of the trust of callers.
struct Verdict {
  bool known = false; ///< a configuration that calls the Service could be read
  std::string doubt;  ///< why callers don't trust what is served; "": no reason is known

  bool operator==(const Verdict&) const = default;
};

struct ObserverOptions {
  std::string name = "fluxhook";            ///< of the Service and both webhook configurations
  std::string name_space;                   ///< of the Service
  std::chrono::milliseconds period{10'000}; ///< between two looks
  std::function<Time()> now = wall_clock;
  kube::Sleep sleep = kube::sleep_for;

  // Called from the observer's thread.
  std::function<std::string()> served;       ///< the chain that is served, PEM with the leaf first
  std::function<void(const Verdict&)> judge; ///< at the first look, and when it has changed
  std::function<void(const Note&)> log = [](const Note&) {};
};

/// Asks again and again whether both webhook configurations vouch for a certificate that others make, renew
/// and spread. It writes nothing. A configuration that can't be read, that is not there, or that calls
/// another Service, is no reason to doubt: it is taken as it was last read, if ever. For one thread.
class Observer {
public:
  /// `client` has to outlive it, and is for it alone.
  Observer(kube::Client& client, ObserverOptions options);

  /// Looks until it is stopped.
  void run(const std::stop_token& stop);

  /// Looks once.
  void look(const std::stop_token& stop = {});

private:
  void read(WebhookKind kind, const std::stop_token& stop);
  void ask(WebhookKind kind, const std::string& chain, Verdict& verdict) const;
  void tell_unreadable(WebhookKind kind, const kube::ApiError& error);

  kube::Client& client_;
  ObserverOptions options_;
  std::map<WebhookKind, Configuration> seen_;     ///< as last read
  std::map<WebhookKind, std::string> unreadable_; ///< why it was not readable at the last look, as logged
  std::optional<Verdict> verdict_;                ///< as last told
};

} // namespace fluxhook::certs
