#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "fluxhook/kube/config.h"
#include "fluxhook/kube/error.h"
#include "kube/credentials.h"

namespace fluxhook::kube {

/// A request.
struct Exchange {
  std::string method;
  std::string path; ///< with the query; below the server's own path
  std::string content_type, body;
  std::string accept = "application/json";
  std::chrono::milliseconds silence{30'000}; ///< how long the server may say nothing
  std::chrono::milliseconds total{0};        ///< how long the body may take; 0: any time
};

/// The answer's head, and the body of one other than 2xx.
struct Reply {
  int status = 0;
  std::optional<std::chrono::seconds> retry_after;
  std::string location;
  std::string body;
};

/// Takes a piece of the body of a 2xx; false: no more is wanted.
using Receiver = std::function<bool(std::string_view bytes)>;

/// One connection to the API server, kept alive between requests and made again when it broke. For one
/// thread.
class Connection {
public:
  /// `agent`: the User-Agent; `connect`: how long connecting, and then the handshake, may take.
  [[nodiscard]] static Result<std::unique_ptr<Connection>>
  open(const Config& config, const Identity& identity, std::string agent, std::chrono::milliseconds connect);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sends the request and waits for the answer. Error: kUnreachable, kTls, kStopped; what a receiver refused
  /// is kMalformed, for the caller to say why.
  [[nodiscard]] ApiResult<Reply> send(const Exchange& exchange, const std::string& authorization,
                                      const Receiver& receiver, const std::stop_token& stop);

  /// Whether there is a connection, as far as we know.
  [[nodiscard]] bool is_open() const;
  /// "GET https://host:port/path", for messages.
  [[nodiscard]] std::string where(const Exchange& exchange) const;

private:
  struct Impl;
  explicit Connection(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace fluxhook::kube
