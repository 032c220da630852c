#include "kube/credentials.h"

#include <modp_b64.h>

#include "fluxhook/base/text.h"
#include "fluxhook/files/read.h"
#include "kube/exec_plugin.h"

namespace fluxhook::kube {

namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

std::string basic(const Config& config) {
  return "Basic " + modp::b64_encode(config.username + ":" + config.password);
}

} // namespace

Credentials::Credentials(const Config& config, std::chrono::milliseconds refresh)
    : config_(config), refresh_(refresh), identity_{"", config.client_certificate, config.client_key} {
  const bool is_basic = !config.username.empty() || !config.password.empty();
  if (!config.token.empty()) identity_.authorization = "Bearer " + config.token;
  else if (is_basic) identity_.authorization = basic(config);
  by_file_ = !config.token_file.empty() && !is_basic;
  // client-go: a plugin is not asked when there is another credential (exec.UpdateTransportConfig).
  by_plugin_ =
      config.exec && identity_.authorization.empty() && !by_file_ && config.client_certificate.text.empty();
}

Result<void> Credentials::read_token() {
  const auto text = files::read_small(config_.token_file);
  if (!text) return std::unexpected(text.error());
  std::string_view token = *text;
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ')
    token.remove_suffix(1);
  token = trim(token);
  if (token.empty() || token.find_first_of(" \t\r\n") != token.npos)
    return fail(config_.token_file, "holds no token: one word is needed");
  identity_.authorization = "Bearer " + std::string(token);
  read_at_ = steady_clock::now();
  return {};
}

Result<void> Credentials::ask_plugin(const std::stop_token& stop) {
  if (!config_.exec) return {};
  auto credential = run_exec_plugin(config_, *config_.exec, stop);
  if (!credential) return std::unexpected(credential.error());
  identity_.authorization = credential->token.empty() ? "" : "Bearer " + credential->token;
  identity_.certificate = std::move(credential->certificate);
  identity_.key = std::move(credential->key);
  expires_ = credential->expires;
  asked_ = true;
  return {};
}

ApiResult<Identity> Credentials::current(const std::stop_token& stop) {
  Result<void> renewed;
  if (by_file_ && (!read_at_ || steady_clock::now() - *read_at_ >= refresh_)) {
    renewed = read_token();
    // A file that can't be read just now: the token that we have may still be good.
    if (!renewed && !identity_.authorization.empty()) renewed = {};
  }
  if (by_plugin_ && (!asked_ || (expires_ && system_clock::now() >= *expires_))) renewed = ask_plugin(stop);
  if (renewed) return identity_;
  return std::unexpected(
      ApiError{.kind = stop.stop_requested() ? ErrorKind::kStopped : ErrorKind::kCredentials,
               .where = renewed.error().where,
               .message = renewed.error().what});
}

bool Credentials::renew() {
  read_at_.reset();
  asked_ = false;
  return by_file_ || by_plugin_;
}

} // namespace fluxhook::kube
