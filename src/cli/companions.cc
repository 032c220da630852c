#include "cli/companions.h"

#include <modp_b64.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "fluxhook/flux/names.h"
#include "fluxhook/flux/render.h"

namespace fluxhook::cli {
namespace {

using manifest::Member;
using manifest::Node;

Node text(std::string_view value) { return {.kind = Node::Kind::kString, .text = std::string(value)}; }

Node boolean(bool value) { return {.kind = Node::Kind::kBool, .text = value ? "true" : "false"}; }

Node object(std::vector<std::pair<std::string_view, Node>> members) {
  Node node{.kind = Node::Kind::kObject};
  for (auto& [key, value] : members)
    node.members.push_back({.key = std::string(key), .at = {}, .value = std::move(value)});
  return node;
}

Node owner_reference(std::string_view name, const std::string& uid) {
  return object({{"apiVersion", text("jobset.x-k8s.io/v1alpha2")},
                 {"kind", text("JobSet")},
                 {"name", text(name)},
                 {"uid", text(uid)},
                 {"controller", boolean(true)},
                 {"blockOwnerDeletion", boolean(false)}});
}

Node metadata(const std::string& name, const Decision& decision, const std::string& uid) {
  Node node = object({{"name", text(name)}});
  const auto add = [&](std::string_view key, Node value) {
    node.members.push_back({.key = std::string(key), .at = {}, .value = std::move(value)});
  };
  if (const auto name_space = decision.jobset().name_space; !name_space.empty())
    add("namespace", text(name_space));
  add("labels", object({{"app.kubernetes.io/managed-by", text("fluxhook")},
                        {flux::kJobSetNameLabel, text(decision.outcome.name)}}));
  if (!uid.empty()) {
    Node owners{.kind = Node::Kind::kList};
    owners.items.push_back(owner_reference(decision.outcome.name, uid));
    add("ownerReferences", std::move(owners));
  }
  return node;
}

flux::RenderInput render_input(const Decision& decision, const flux::Defaults& defaults) {
  const k8s::JobSet& jobset = decision.jobset();
  const std::string& name = decision.outcome.name;
  return {.jobset_name = name,
          .name_space = jobset.name_space.empty() ? "default" : std::string(jobset.name_space),
          .subdomain = jobset.network.subdomain.empty() ? name : std::string(jobset.network.subdomain),
          .cluster_domain = defaults.cluster_domain,
          .settings = decision.outcome.settings,
          .members = decision.outcome.members,
          .public_key = {}};
}

std::optional<flux::CurveKeys> derive(const CurveSource& source, const std::string& uid) {
  if (uid.empty()) return {};
  if (source.master) return flux::derive_curve_keys(*source.master, uid);
  if (source.from_uid) return flux::derive_curve_keys_from_uid(uid);
  return {};
}

std::string why_missing(const std::string& secret, bool users_own, const std::string& uid) {
  if (users_own) return "Secret " + secret + " is not made here: it is the one that curve-secret names";
  return "Secret " + secret + " is missing here, and its public key in the ConfigMap: " +
         (uid.empty() ? "it is derived from the JobSet's uid (--uid), and from a key "
                      : "it is derived from a key ") +
         "(--curve-key, or --curve-derivation uid)";
}

} // namespace

Result<Key> read_master_key(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(path, "can't be read");
  Key key{};
  std::array<char, key.size() + 1> bytes{}; // a device may have no end
  file.read(bytes.data(), bytes.size());
  const auto size = static_cast<std::size_t>(file.gcount());
  if (size != key.size())
    return fail(path,
                "has " +
                    (size > key.size() ? "more than " + std::to_string(key.size()) : std::to_string(size)) +
                    " bytes: a master key has " + std::to_string(key.size()));
  std::transform(bytes.begin(), bytes.end() - 1, key.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
  return key;
}

Result<Companions> make_companions(const Decision& decision, const std::string& uid,
                                   const CurveSource& source, const flux::Defaults& defaults) {
  const bool users_own = !decision.outcome.settings.curve_secret.empty();
  const auto keys = users_own ? std::nullopt : derive(source, uid);
  flux::RenderInput input = render_input(decision, defaults);
  if (keys) input.public_key = keys->public_key;
  const auto files = flux::render_files(input);
  if (!files) return std::unexpected(files.error());

  Companions companions;
  Node data{.kind = Node::Kind::kObject};
  for (const auto& [name, content] : *files)
    data.members.push_back({.key = name, .at = {}, .value = text(content)});
  companions.config_map =
      object({{"apiVersion", text("v1")},
              {"kind", text("ConfigMap")},
              {"metadata", metadata(flux::config_map_name(input.jobset_name), decision, uid)},
              {"immutable", boolean(true)},
              {"data", std::move(data)}});

  const std::string secret = flux::secret_name(input.jobset_name, input.settings);
  if (!keys) {
    companions.missing = why_missing(secret, users_own, uid);
    return companions;
  }
  const auto certificate = flux::render_certificate(*keys, input.jobset_name);
  if (!certificate) return std::unexpected(certificate.error());
  companions.secret = object({{"apiVersion", text("v1")},
                              {"kind", text("Secret")},
                              {"metadata", metadata(secret, decision, uid)},
                              {"immutable", boolean(true)},
                              {"type", text("Opaque")},
                              {"data", object({{"curve.cert", text(modp::b64_encode(*certificate))}})}});
  return companions;
}

} // namespace fluxhook::cli
