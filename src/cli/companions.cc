#include "cli/companions.h"

#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {
namespace {

std::string why_missing(const companion::Companions& made, const std::string& uid) {
  if (made.users_own)
    return "Secret " + made.secret_name + " is not made here: it is the one that curve-secret names";
  return "Secret " + made.secret_name + " is missing here, and its public key in the ConfigMap: " +
         (uid.empty() ? "it is derived from the JobSet's uid (--uid), and from a key "
                      : "it is derived from a key ") +
         "(--curve-key, or --curve-derivation uid)";
}

} // namespace

Result<Companions> make_companions(const Decision& decision, const std::string& uid,
                                   const companion::CurveSource& source, const flux::Defaults& defaults) {
  const k8s::JobSet& jobset = decision.jobset();
  const auto made = companion::make_companions({.name = decision.outcome.name,
                                                .name_space = jobset.name_space,
                                                .subdomain = jobset.network.subdomain,
                                                .uid = uid,
                                                .settings = decision.outcome.settings,
                                                .members = decision.outcome.members},
                                               source, defaults.cluster_domain);
  if (!made) return std::unexpected(made.error());
  Companions companions;
  auto config_map = manifest::parse_json(made->config_map.json(), made->config_map.name);
  if (!config_map) return std::unexpected(config_map.error());
  companions.config_map = std::move(*config_map);
  const auto& made_secret = made->secret;
  if (!made_secret) {
    companions.missing = why_missing(*made, uid);
    return companions;
  }
  auto secret = manifest::parse_json(made_secret->json(), made->secret_name);
  if (!secret) return std::unexpected(secret.error());
  companions.secret = std::move(*secret);
  return companions;
}

} // namespace fluxhook::cli
