/// Module server: the HTTPS server that Kubernetes calls: TLS, routes, limits, drain, access log and metrics.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fluxhook/admission/admission.h"
#include "fluxhook/base/result.h"

namespace fluxhook::server {

/// HOST:PORT; an empty host means all addresses (IPv6 and IPv4), port 0 picks a free one.
struct Address {
  std::string host;
  std::uint16_t port = 0;

  [[nodiscard]] std::string text() const;  ///< "127.0.0.1:9443", "[::]:9443"
};
[[nodiscard]] Result<Address> parse_address(std::string_view text);

/// What decides a review: admission::review with the configuration bound. Called from many threads.
using Reviewer = std::function<Result<admission::Answer>(std::string& body, admission::Webhook webhook)>;

struct Options {
  Address listen{"", 9443};
  bool metrics = true;
  Address metrics_listen{"", 8080};

  // Exactly one source of the certificate.
  std::string cert_file;       ///< PEM chain; read again when its directory changes or by wall clock
  std::string key_file;        ///< PEM
  bool ephemeral = false;      ///< a self-signed CA and a leaf for localhost, made in memory at start
  std::string ca_out;          ///< where the ephemeral CA's certificate is written, PEM

  std::string client_ca_file;             ///< non-empty: callers must present a certificate it vouches for
  std::vector<std::string> client_names;  ///< non-empty: one of these must be the certificate's subject CN or a DNS SAN

  std::size_t max_connections = 4096;
  std::size_t threads = 0;  ///< threads that decide reviews; 0: as many as there are cores
  std::size_t max_body = 8u << 20;
  std::chrono::milliseconds drain_timeout{10'000};
  std::chrono::seconds idle_timeout{120};  ///< must outlive an API server's 90 s
};

/// A running server. Not copyable; `stop` and the destructor drain it.
class Server {
 public:
  /// Listens; returns when the sockets are bound. Error: an address in use, a certificate that can't be read …
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const Options& options, Reviewer reviewer);

  [[nodiscard]] const Address& address() const;          ///< with the real port
  [[nodiscard]] const Address& metrics_address() const;  ///< likewise; port 0 when metrics are off

  /// Readiness fails, answers carry `Connection: close`, accepted reviews are answered; then the server stops.
  void stop();

  ~Server();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fluxhook::server
