#include "fluxhook/certs/observer.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <format>
#include <utility>

#include "certs/x509.h"

namespace fluxhook::certs {

namespace {

using StorePtr = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;
using CheckPtr = std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>>;
using StackPtr =
    std::unique_ptr<STACK_OF(X509), decltype([](STACK_OF(X509) * stack) { sk_X509_free(stack); })>;

/// How Go's crypto/x509 checks a server: any certificate of the roots ends a chain, names are alternative
/// names. Weak keys are left to it: to refuse what it takes would be worse than the other way round.
bool prepare(X509_STORE_CTX* check, const std::string& host, Time now) {
  X509_VERIFY_PARAM* const rules = X509_STORE_CTX_get0_param(check);
  X509_VERIFY_PARAM_set_auth_level(rules, 0);
  X509_VERIFY_PARAM_set_time(rules, now.time_since_epoch().count());
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN) == 1 &&
         X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_SERVER) == 1 &&
         (host.empty() || X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) == 1);
}

/// OpenSSL's words for why the chain is not trusted; "" when it is.
std::string verify(const std::vector<X509Ptr>& chain, const std::vector<X509Ptr>& roots,
                   const std::string& host, Time now) {
  const StorePtr store(X509_STORE_new());
  const CheckPtr check(X509_STORE_CTX_new());
  const StackPtr others(sk_X509_new_null());
  bool made = store && check && others;
  for (const X509Ptr& root : roots)
    made = made && X509_STORE_add_cert(store.get(), root.get()) == 1;
  for (const X509Ptr& one : chain)
    made = made && sk_X509_push(others.get(), one.get()) > 0;
  made = made && X509_STORE_CTX_init(check.get(), store.get(), chain.front().get(), others.get()) == 1 &&
         prepare(check.get(), host, now);
  const bool trusted = made && X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  if (trusted) return {};
  return made ? X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get())) : "it can't be checked";
}

} // namespace

std::string distrust(const Webhook& webhook, const std::string& chain, Time now) {
  const auto served = read_certificates(chain);
  if (!served) return "what is served " + served.error().what;
  if (webhook.ca_bundle.empty()) {
    return webhook.awaits_injection ? "the caBundle is still to be filled in, as an annotation asks"
                                    : std::string();
  }
  const auto roots = read_certificates(webhook.ca_bundle);
  if (!roots) return "the caBundle " + roots.error().what;
  const std::string host =
      webhook.service.empty() ? std::string() : webhook.service + "." + webhook.service_namespace + ".svc";
  const std::string reason = verify(*served, *roots, host, now);
  if (reason.empty()) return {};
  if (verify(*served, *roots, {}, now).empty()) return "the certificate is not for " + host;
  return "the caBundle does not vouch for the certificate: " + reason;
}

Observer::Observer(kube::Client& client, ObserverOptions options)
    : client_(client), options_(std::move(options)) {}

void Observer::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    look(stop);
    if (!options_.sleep(options_.period, stop)) return;
  }
}

void Observer::look(const std::stop_token& stop) {
  const std::string chain = options_.served();
  Verdict verdict;
  for (const WebhookKind kind : kBothKinds) {
    read(kind, stop);
    ask(kind, chain, verdict);
  }
  if (stop.stop_requested() || verdict_ == verdict) return;
  verdict_ = verdict;
  options_.judge(verdict);
}

void Observer::read(WebhookKind kind, const std::stop_token& stop) {
  auto configuration = read_configuration(client_, kind, options_.name, stop);
  if (configuration) {
    unreadable_.erase(kind);
    seen_.insert_or_assign(kind, std::move(*configuration));
  } else if (configuration.error().kind == kube::ErrorKind::kNotFound) {
    seen_.erase(kind);
  } else {
    tell_unreadable(kind, configuration.error());
  }
}

/// Adds to the verdict what one configuration says.
void Observer::ask(WebhookKind kind, const std::string& chain, Verdict& verdict) const {
  const auto seen = seen_.find(kind);
  if (seen == seen_.end()) return;
  for (const Webhook& webhook : seen->second.webhooks) {
    if (!calls(webhook, options_.name, options_.name_space)) continue;
    verdict.known = true;
    const std::string reason = distrust(webhook, chain, options_.now());
    if (verdict.doubt.empty() && !reason.empty())
      verdict.doubt = std::format("{}, webhook {}: {}", call_it(kind, options_.name), webhook.name, reason);
  }
}

/// Once as long as it stays the same.
void Observer::tell_unreadable(WebhookKind kind, const kube::ApiError& error) {
  const std::string reason = error.text();
  if (error.kind == kube::ErrorKind::kStopped || unreadable_[kind] == reason) return;
  unreadable_[kind] = reason;
  options_.log(
      {Note::Level::kWarn,
       call_it(kind, options_.name) + " can't be read: whether it vouches for the certificate is not known",
       {{"reason", reason}}});
}

} // namespace fluxhook::certs
