#include "fluxhook/companion/objects.h"

#include <modp_b64.h>
#include <sodium.h>

#include <algorithm>
#include <format>
#include <utility>

#include <nlohmann/json.hpp>

#include "fluxhook/files/read.h"
#include "fluxhook/flux/names.h"
#include "fluxhook/flux/render.h"

namespace fluxhook::companion {

namespace {

using Json = nlohmann::ordered_json; // keys stay in their order

Json metadata_of(const Object& object) {
  Json metadata{{"name", object.name}};
  if (!object.name_space.empty()) metadata["namespace"] = object.name_space;
  metadata["labels"] = {{kManagedByLabel, kManager}, {flux::kJobSetNameLabel, object.jobset}};
  if (object.uid.empty()) return metadata;
  metadata["annotations"] = {{kUidAnnotation, object.uid}};
  metadata["ownerReferences"] = Json::array({{{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
                                              {"kind", "JobSet"},
                                              {"name", object.jobset},
                                              {"uid", object.uid},
                                              {"controller", true},
                                              {"blockOwnerDeletion", false}}});
  return metadata;
}

std::optional<flux::CurveKeys> derive(const CurveSource& curve, std::string_view uid) {
  if (uid.empty()) return {};
  if (curve.master) return flux::derive_curve_keys(*curve.master, uid);
  if (curve.from_uid) return flux::derive_curve_keys_from_uid(uid);
  return {};
}

Object object_of(const Subject& subject, Object::Kind kind, std::string name,
                 std::map<std::string, std::string> data) {
  return {.kind = kind,
          .name = std::move(name),
          .name_space = std::string(subject.name_space),
          .jobset = std::string(subject.name),
          .uid = std::string(subject.uid),
          .data = std::move(data)};
}

flux::RenderInput render_input(const Subject& subject, const std::string& cluster_domain) {
  return {.jobset_name = std::string(subject.name),
          .name_space = std::string(subject.name_space.empty() ? "default" : subject.name_space),
          .subdomain = std::string(subject.subdomain.empty() ? subject.name : subject.subdomain),
          .cluster_domain = cluster_domain,
          .settings = subject.settings,
          .members = subject.members,
          .public_key = {}};
}

/// The Secret's object with the key pair, which is wiped.
Result<Object> make_secret(const Subject& subject, flux::CurveKeys& keys, const std::string& name) {
  auto certificate = flux::render_certificate(keys, subject.name);
  wipe(keys.secret_key);
  if (!certificate) return std::unexpected(certificate.error());
  Object secret =
      object_of(subject, Object::Kind::kSecret, name, {{"curve.cert", modp::b64_encode(*certificate)}});
  wipe(*certificate);
  return secret;
}

} // namespace

CurveSource::~CurveSource() {
  if (master) sodium_memzero(master->data(), master->size());
}

Companions::~Companions() {
  if (!secret) return;
  for (auto& [name, value] : secret->data)
    wipe(value);
}

void wipe(std::string& text) {
  sodium_memzero(text.data(), text.size());
  text.clear();
}

Result<Key> to_master_key(std::string_view bytes, const std::string& name) {
  Key key{};
  if (bytes.size() != key.size())
    return fail(name, std::format("has {} bytes: a master key has {}", bytes.size(), key.size()));
  std::ranges::transform(bytes, key.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  return key;
}

Result<Key> read_master_key(const std::string& path) {
  auto bytes = files::read_small(path);
  if (!bytes) return std::unexpected(bytes.error());
  auto key = to_master_key(*bytes, path);
  wipe(*bytes);
  return key;
}

Result<std::string> take_master_key(std::string& json) {
  auto secret = nlohmann::json::parse(json, nullptr, false);
  wipe(json);
  const nlohmann::json::json_pointer pointer(std::format("/data/{}", kMasterKeyEntry));
  if (!secret.is_object() || !secret.contains(pointer) || !secret[pointer].is_string())
    return fail("", std::format("has no data.{}", kMasterKeyEntry));
  auto& encoded = secret[pointer].get_ref<std::string&>();
  const bool empty = encoded.empty();
  // What is not const would be exchanged, and freed without being wiped.
  std::string bytes = modp::b64_decode(std::as_const(encoded));
  wipe(encoded);
  if (bytes.empty() && !empty) return fail("", std::format("data.{} is no base64", kMasterKeyEntry));
  return bytes;
}

std::string Object::json() const {
  const bool secret = kind == Kind::kSecret;
  Json json{{"apiVersion", "v1"},
            {"kind", secret ? "Secret" : "ConfigMap"},
            {"metadata", metadata_of(*this)},
            {"immutable", true}};
  if (secret) json["type"] = "Opaque";
  json["data"] = data;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Companions> make_companions(const Subject& subject, const CurveSource& curve,
                                   const std::string& cluster_domain) {
  Companions companions;
  companions.users_own = !subject.settings.curve_secret.empty();
  companions.secret_name = flux::secret_name(subject.name, subject.settings);
  auto keys = companions.users_own ? std::nullopt : derive(curve, subject.uid);
  flux::RenderInput input = render_input(subject, cluster_domain);
  if (keys) input.public_key = keys->public_key;
  auto files = flux::render_files(input);
  if (!files) return std::unexpected(files.error());
  companions.config_map =
      object_of(subject, Object::Kind::kConfigMap, flux::config_map_name(subject.name), std::move(*files));
  if (!keys) return companions;
  auto secret = make_secret(subject, *keys, companions.secret_name);
  if (!secret) return std::unexpected(secret.error());
  companions.secret = std::move(*secret);
  return companions;
}

} // namespace fluxhook::companion
