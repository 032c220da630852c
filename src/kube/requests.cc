#include "kube/requests.h"

#include <algorithm>
#include <format>

#include "fluxhook/base/text.h"
#include "fluxhook/base/version.h"
#include "kube/escape.h"
#include "kube/status.h"

namespace fluxhook::kube {

using namespace std::chrono_literals;

std::string query(std::initializer_list<std::pair<const char*, std::string>> parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    if (!value.empty()) text += std::format("{}{}={}", text.empty() ? "?" : "&", name, escaped(value));
  return text;
}

Requests::Requests(const Config& config, ClientOptions options)
    : config_(config), options_(std::move(options)), credentials_(config_, options_.token_refresh) {
  if (options_.user_agent.empty()) options_.user_agent = std::format("fluxhook/{}", kVersion);
}

Result<void> Requests::connect(const Identity& identity) {
  auto connection = Connection::open(config_, identity, options_.user_agent, options_.connect_timeout);
  if (!connection) return std::unexpected(connection.error());
  connection_ = std::move(*connection);
  certificate_ = identity.certificate.text;
  return {};
}

ApiResult<Reply> Requests::send_once(const Exchange& exchange, const Receiver& receiver,
                                     const std::stop_token& stop) {
  if (stop.stop_requested())
    return std::unexpected(ApiError{ErrorKind::kStopped, where(exchange), "stopped"});
  const auto identity = credentials_.current(stop);
  if (!identity) return std::unexpected(identity.error());
  if (identity->certificate.text != certificate_) // a plugin gave another one
    if (const auto connected = connect(*identity); !connected)
      return std::unexpected(
          ApiError{ErrorKind::kCredentials, connected.error().where, connected.error().what});
  bool heard = false;
  const Receiver listening = [&](std::string_view bytes) {
    heard = true;
    return receiver(bytes);
  };
  const bool used_before = connection_->is_open();
  auto reply = connection_->send(exchange, identity->authorization, listening, stop);
  // The server may have closed a connection that was idle just when it was used again.
  const bool again = used_before && !reply && reply.error().kind == ErrorKind::kUnreachable &&
                     exchange.method == "GET" && !heard;
  if (again) reply = connection_->send(exchange, identity->authorization, receiver, stop);
  return reply;
}

ApiError Requests::refusal(const Reply& reply, const Exchange& exchange) const {
  ApiError error = read_status(reply.body, reply.status, where(exchange));
  if (reply.retry_after) error.retry_after = reply.retry_after;
  if (reply.status / 100 == 3)
    error.message = std::format("redirected (HTTP {}) to {}: the API server's own URL is needed",
                                reply.status, fluxhook::in_quotes(one_line(reply.location)));
  return error;
}

ApiResult<void> Requests::send(const Exchange& exchange, const Receiver& receiver,
                               const std::stop_token& stop) {
  bool renewed = false;
  for (unsigned tries = 0;;) {
    const auto reply = send_once(exchange, receiver, stop);
    if (!reply) return std::unexpected(reply.error());
    if (reply->status / 100 == 2) return {};
    if (reply->status == 401 && !std::exchange(renewed, true) && credentials_.renew()) continue;
    ApiError error = refusal(*reply, exchange);
    // As client-go (rest/with_retry.go): with Retry-After only.
    const bool may = (reply->status == 429 || reply->status >= 500) && tries++ < options_.retries;
    const std::chrono::seconds after = reply->retry_after.value_or(-1s);
    if (!may || after < 0s) return std::unexpected(std::move(error));
    if (!options_.sleep(std::min<std::chrono::milliseconds>(after, 30s), stop))
      return std::unexpected(ApiError{ErrorKind::kStopped, where(exchange), "stopped"});
  }
}

ApiResult<std::string> Requests::send(const Exchange& exchange, const std::stop_token& stop) {
  std::string body;
  const Receiver keep = [&](std::string_view bytes) {
    if (body.size() + bytes.size() > options_.most) return false;
    body += bytes;
    return true;
  };
  auto sent = send(exchange, keep, stop);
  if (sent) return body;
  if (sent.error().kind == ErrorKind::kMalformed)
    sent.error().message = std::format("the answer has more than {} bytes", options_.most);
  return std::unexpected(std::move(sent.error()));
}

} // namespace fluxhook::kube
