#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/flux/curve.h"
#include "fluxhook/flux/resources.h"
#include "fluxhook/flux/settings.h"

namespace fluxhook::flux {

/// What the pods' files are made from. `members` and what they point to must outlive the call only.
struct RenderInput {
  std::string jobset_name;
  std::string name_space;
  std::string subdomain; ///< network.subdomain, or the JobSet's name
  std::string cluster_domain = "cluster.local";
  Settings settings;
  std::vector<Member> members; ///< the lead's first
  std::string public_key;      ///< Z85; empty with curve-secret: the pods then check no key
};

/// File name → content: what the ConfigMap holds (init.sh, entrypoint.sh, job.sh, broker.toml, R).
using Files = std::map<std::string, std::string>;

/// Placeholder name → value, quoted for the language of the text that takes it.
using Placeholders = std::map<std::string, std::string, std::less<>>;

/// Replaces the placeholders @NAME@ (NAME of [A-Z_]+) in `text` by their values, in one pass: a value that
/// holds one stays as it is. Error: a placeholder without a value, or a value that no placeholder takes.
[[nodiscard]] Result<std::string> fill(std::string_view text, const Placeholders& values);

/// The ConfigMap's files (templates/README.md). The same input gives the same bytes. Error: a value that a
/// file's language cannot hold, or a name, count or limit that no rule would have let through: `input` may
/// come from an object that somebody wrote past the webhook.
[[nodiscard]] Result<Files> render_files(const RenderInput& input);

/// `curve.cert` in ZPL for the Secret (ZeroMQ RFC 4; zcert(3)), with `name` in its metadata, which Flux asks
/// for. Error: a value that ZPL cannot hold.
[[nodiscard]] Result<std::string> render_certificate(const CurveKeys& keys, std::string_view name);

/// R for the instance (RFC 20 of flux-framework), as JSON with a final newline: an entry for each run of
/// ranks with the same cores and GPUs. Error: a host name that is no DNS label.
[[nodiscard]] Result<std::string> render_r(const Resources& resources);

/// Resource names of the companions: <jobset>-flux-entrypoint; <jobset>-flux-curve, or what curve-secret
/// names.
[[nodiscard]] std::string config_map_name(std::string_view jobset_name);
[[nodiscard]] std::string secret_name(std::string_view jobset_name, const Settings& settings);

} // namespace fluxhook::flux
