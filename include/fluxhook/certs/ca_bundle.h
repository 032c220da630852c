#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "fluxhook/kube/client.h"
#include "fluxhook/kube/error.h"

namespace fluxhook::certs {

/// Of webhook configurations: both are fluxhook's, with the same name.
enum class WebhookKind : std::uint8_t { kMutating, kValidating };
inline constexpr std::array kBothKinds{WebhookKind::kMutating, WebhookKind::kValidating};

/// "MutatingWebhookConfiguration NAME", for messages.
[[nodiscard]] std::string call_it(WebhookKind kind, const std::string& name);

/// One webhook of a configuration, as far as it matters whom the API server trusts.
struct Webhook {
  std::string name;
  std::string service, service_namespace; ///< whom it calls; empty: a URL
  std::string ca_bundle;                  ///< PEM; "": none, so that the API server's machine decides
  /// cert-manager's cainjector, or OpenShift's service CA, is asked by an annotation to fill in the caBundle.
  bool awaits_injection = false;
};

/// Whether it calls this Service, or a URL, which may lead there.
[[nodiscard]] bool calls(const Webhook& webhook, const std::string& service, const std::string& name_space);

/// A webhook configuration (admissionregistration.k8s.io/v1).
struct Configuration {
  WebhookKind kind = WebhookKind::kMutating;
  std::string name;
  std::string resource_version;
  std::vector<Webhook> webhooks;
};

/// Reads the configuration of that name. Error: as Client::get; kMalformed: the answer is none.
[[nodiscard]] kube::ApiResult<Configuration> read_configuration(kube::Client& client, WebhookKind kind,
                                                                const std::string& name,
                                                                const std::stop_token& stop = {});

/// Whether each webhook of it trusts exactly the CA certificates of `authorities`, PEM.
[[nodiscard]] bool trusts(const Configuration& configuration, const std::string& authorities);

/// Whether each webhook of it trusts a serving certificate, PEM, by its signer.
[[nodiscard]] bool vouches_for(const Configuration& configuration, const std::string& certificate);

/// Makes each webhook of it trust `authorities`, if it is still the version that was read. Error: kConflict:
/// it isn't. `configuration` is then what is stored.
[[nodiscard]] kube::ApiResult<void> set_ca_bundle(kube::Client& client, Configuration& configuration,
                                                  const std::string& authorities,
                                                  const std::stop_token& stop = {});

} // namespace fluxhook::certs
