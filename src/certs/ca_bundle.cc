#include "fluxhook/certs/ca_bundle.h"

#include <modp_b64.h>

#include <algorithm>
#include <format>

#include "certs/json.h"
#include "fluxhook/certs/issue.h"
#include "fluxhook/kube/object.h"

namespace fluxhook::certs {

namespace {

using kube::ApiError;
using kube::ApiResult;
using kube::ErrorKind;

std::string path_of(WebhookKind kind, const std::string& name) {
  const char* const plural =
      kind == WebhookKind::kMutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
  return kube::path_of({"admissionregistration.k8s.io", "v1", plural}, {}, name);
}

/// cert-manager.io/inject-ca-from and its like; OpenShift's service CA operator.
bool asks_for_injection(const json& metadata) {
  const json& annotations = member(metadata, "annotations");
  return annotations.is_object() && std::ranges::any_of(annotations.items(), [](const auto& annotation) {
           return annotation.key().starts_with("cert-manager.io/inject-") ||
                  annotation.key() == "service.beta.openshift.io/inject-cabundle";
         });
}

Webhook read_webhook(const json& webhook, bool awaits_injection) {
  const json &client = member(webhook, "clientConfig"), &service = member(client, "service");
  return {text_of(webhook, "name"), text_of(service, "name"), text_of(service, "namespace"),
          modp::b64_decode(text_of(client, "caBundle")), awaits_injection};
}

ApiResult<Configuration> parse(WebhookKind kind, const std::string& name, const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  const json& webhooks = member(object, "webhooks");
  const std::string version = text_of(member(object, "metadata"), "resourceVersion");
  if (version.empty())
    return std::unexpected(ApiError{.kind = ErrorKind::kMalformed,
                                    .where = call_it(kind, name),
                                    .message = "the answer is no webhook configuration"});
  Configuration configuration{kind, name, version, {}};
  const bool awaits_injection = asks_for_injection(member(object, "metadata"));
  if (webhooks.is_array())
    for (const json& webhook : webhooks)
      configuration.webhooks.push_back(read_webhook(webhook, awaits_injection));
  return configuration;
}

/// RFC 6902; `add` also replaces. The test makes it a write of just the version that was read.
std::string patch_of(const Configuration& configuration, const std::string& authorities) {
  json patch = json::array(
      {{{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", configuration.resource_version}}});
  for (std::size_t i = 0; i < configuration.webhooks.size(); ++i)
    patch.push_back({{"op", "add"},
                     {"path", std::format("/webhooks/{}/clientConfig/caBundle", i)},
                     {"value", modp::b64_encode(authorities)}});
  return to_text(patch);
}

} // namespace

std::string call_it(WebhookKind kind, const std::string& name) {
  return (kind == WebhookKind::kMutating ? "MutatingWebhookConfiguration "
                                         : "ValidatingWebhookConfiguration ") +
         name;
}

bool calls(const Webhook& webhook, const std::string& service, const std::string& name_space) {
  return webhook.service.empty() || (webhook.service == service && webhook.service_namespace == name_space);
}

ApiResult<Configuration> read_configuration(kube::Client& client, WebhookKind kind, const std::string& name,
                                            const std::stop_token& stop) {
  const auto text = client.get(path_of(kind, name), stop);
  if (!text) return std::unexpected(text.error());
  return parse(kind, name, *text);
}

bool trusts(const Configuration& configuration, const std::string& authorities) {
  const auto wanted = split_certificates(authorities);
  return std::ranges::all_of(configuration.webhooks, [&](const Webhook& webhook) {
    const auto held = split_certificates(webhook.ca_bundle);
    return held && wanted && *held == *wanted;
  });
}

bool vouches_for(const Configuration& configuration, const std::string& certificate) {
  return std::ranges::all_of(configuration.webhooks, [&](const Webhook& webhook) {
    const auto held = split_certificates(webhook.ca_bundle);
    return held &&
           std::ranges::any_of(*held, [&](const std::string& one) { return has_signed(one, certificate); });
  });
}

ApiResult<void> set_ca_bundle(kube::Client& client, Configuration& configuration,
                              const std::string& authorities, const std::stop_token& stop) {
  const auto text = client.patch(path_of(configuration.kind, configuration.name),
                                 patch_of(configuration, authorities), {}, stop);
  if (!text) {
    ApiError error = text.error();
    // A test that fails is 422 (k8s.io/apiserver, pkg/endpoints/handlers/patch.go).
    if (error.kind == ErrorKind::kInvalid) error.kind = ErrorKind::kConflict;
    return std::unexpected(error);
  }
  auto stored = parse(configuration.kind, configuration.name, *text);
  if (!stored) return std::unexpected(stored.error());
  configuration = std::move(*stored);
  return {};
}

} // namespace fluxhook::certs
