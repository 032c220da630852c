#pragma once

#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "fluxhook/kube/client.h"
#include "kube/connection.h"
#include "kube/credentials.h"

namespace fluxhook::kube {

/// "?a=b&c=d" of those that have a value.
[[nodiscard]] std::string query(std::initializer_list<std::pair<const char*, std::string>> parameters);

/// Requests with credentials and retries: what a Client is made of.
class Requests {
public:
  Requests(const Config& config, ClientOptions options);

  /// Sends a request until it is answered with 2xx or for good with something else, which is the error.
  [[nodiscard]] ApiResult<void> send(const Exchange& exchange, const Receiver& receiver,
                                     const std::stop_token& stop);
  /// The same, with the body of the answer.
  [[nodiscard]] ApiResult<std::string> send(const Exchange& exchange, const std::stop_token& stop);

  [[nodiscard]] Result<void> connect(const Identity& identity);
  [[nodiscard]] std::string where(const Exchange& exchange) const { return connection_->where(exchange); }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] const ClientOptions& options() const { return options_; }

private:
  [[nodiscard]] ApiResult<Reply> send_once(const Exchange& exchange, const Receiver& receiver,
                                           const std::stop_token& stop);
  [[nodiscard]] ApiError refusal(const Reply& reply, const Exchange& exchange) const;

  Config config_;
  ClientOptions options_;
  Credentials credentials_;
  std::string certificate_; ///< that the connection was made with
  std::unique_ptr<Connection> connection_;
};

} // namespace fluxhook::kube
