/// Module server: the HTTPS server that Kubernetes calls: TLS, routes, limits, drain, access log and metrics.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fluxhook/admission/admission.h"
#include "fluxhook/base/result.h"
#include "fluxhook/certs/issue.h"
#include "fluxhook/server/address.h"
#include "fluxhook/server/log.h"

namespace fluxhook::server {

/// What decides a review: admission::review with the configuration bound. Called from many threads at once.
/// What it throws is answered with HTTP 500.
using Reviewer = std::function<Result<admission::Answer>(std::string& body, admission::Webhook webhook)>;

/// How the server is set up. The limits' defaults suit an API server: it keeps 25 idle connections for 90 s,
/// waits 30 s at most and sends 3 MiB objects, two in a review.
struct Options {
  Address listen{"", 9443};
  bool metrics = true;
  Address metrics_listen{"", 8080};

  // Exactly one source of the certificate: both files, `ephemeral` or `given`.
  std::string cert_file;  ///< PEM chain, the leaf first; read again when it changes on disk
  std::string key_file;   ///< PEM
  bool ephemeral = false; ///< a CA and a leaf for localhost and the listening host, made in memory at start
  /// By Server::set_certificate(). Until then it shows one that nobody trusts, so that probes get the answer
  /// "not ready" and not a broken connection: a kubelet does not check certificates.
  bool given = false;
  /// Why callers may not trust what is served, until set_doubt() says otherwise; the server is not ready
  /// until then. "": nobody will say.
  std::string doubt;
  std::string ca_out; ///< where the ephemeral CA's certificate is written, PEM; empty: nowhere

  std::string client_ca_file; ///< non-empty: reviews are taken only from callers with a certificate it
                              ///< vouches for; probes need none, since a kubelet has none
  std::vector<std::string> client_names; ///< non-empty: one must be the certificate's subject CN or a DNS SAN

  std::size_t max_connections = 4096; ///< past it a connection is closed as soon as it is accepted
  std::size_t threads = 0;            ///< reviews decided at once; 0: as many as there are cores to use
  std::size_t max_body = 8U << 20U;   ///< bytes; past it 413
  /// Bytes that requests of more than 64 KiB may hold in memory together; past it 429. So no number of
  /// callers can make the server grow without bounds.
  std::size_t max_large_bodies = 64U << 20U;

  std::chrono::milliseconds handshake_timeout{10'000}; ///< from accept to the end of the TLS handshake
  std::chrono::milliseconds head_timeout{10'000};      ///< from a request's first byte to the end of its head
  std::chrono::milliseconds body_timeout{30'000};      ///< from there to the end of its body
  std::chrono::milliseconds write_timeout{30'000};     ///< from an answer's first byte to its last
  std::chrono::milliseconds idle_timeout{120'000};   ///< between requests; must outlive an API server's 90 s
  std::chrono::milliseconds drain_timeout{10'000};   ///< how long stop() takes at most
  std::chrono::milliseconds drain_accept{5'000};     ///< of it: how long new connections are still taken
  std::chrono::milliseconds certificate_poll{1'000}; ///< how often the files are looked at

  /// What else /metrics says, in Prometheus' text format; called from any thread.
  std::function<std::string()> more_metrics = [] { return std::string(); };

  std::shared_ptr<const Log> log; ///< required
};

/// A running server. Its threads end with stop() or the destructor.
class Server {
public:
  /// Listens; returns when the sockets are bound and answers come. Error: an address in use, a certificate
  /// that can't be read …
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const Options& options, Reviewer reviewer);

  [[nodiscard]] const Address& address() const;         ///< with the real port
  [[nodiscard]] const Address& metrics_address() const; ///< likewise; port 0 when metrics are off

  /// Reads the certificate's files again, also when they look unchanged; they are looked at by themselves now
  /// and then. Returns at once: what comes of it is logged. Another certificate stays.
  void reload();

  /// With Options::given: what is served from the next connection on. Error: it can't be used; what is served
  /// goes on. Thread-safe, as the next two.
  [[nodiscard]] Result<void> set_certificate(const certs::Pair& pair);
  /// Why callers may not trust what is served, so that the server is not ready; "": no reason is known.
  /// `known` false: whether they do could not be found out, and no metric is to tell.
  void set_doubt(const std::string& doubt, bool known = true);
  /// The certificates that are served, PEM, the leaf first.
  [[nodiscard]] std::string certificate() const;

  /// Drains: readiness fails and answers carry `Connection: close`; for `drain_accept` new connections are
  /// still taken, since the cluster's routes lag behind; then idle connections are closed, and it returns
  /// when every accepted review is answered, or the drain timeout is over. A second call does nothing.
  void stop();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server(); ///< stops at once, without draining

private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace fluxhook::server
