#include "companion/master_key.h"

#include <modp_b64.h>
#include <sodium.h>

#include <format>
#include <utility>

#include <nlohmann/json.hpp>

#include "companion/resources.h"

namespace fluxhook::companion {

using kube::ErrorKind;

namespace {

/// The key in a Secret's JSON, which is wiped.
Result<CurveSource> read_key(std::string& json, const std::string& where) {
  constexpr auto kRemedy =
      "; fluxhook never overwrites it: put 32 random bytes there, or delete the Secret to have "
      "a new key made";
  auto bytes = take_master_key(json);
  if (!bytes) return fail(where, bytes.error().what + kRemedy);
  auto key = to_master_key(*bytes, std::format("{}: data.{}", where, kMasterKeyEntry));
  wipe(*bytes);
  if (!key) return fail(key.error().where, key.error().what + kRemedy);
  CurveSource curve;
  curve.master = *key;
  sodium_memzero(key->data(), key->size());
  return curve;
}

/// A Secret with a new key, as JSON that its caller wipes. No owner: it outlives the release.
std::string new_secret(const std::string& name) {
  std::string bytes(std::tuple_size_v<Key>, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  // as_const: what is not const would be exchanged, and freed without being wiped
  std::string encoded = modp::b64_encode(std::as_const(bytes));
  wipe(bytes);
  std::string json = std::format(
      R"({{"apiVersion":"v1","kind":"Secret","metadata":{{"name":{},"labels":{{"{}":"{}"}}}},"type":"Opaque",)"
      R"("data":{{"{}":"{}"}}}})",
      nlohmann::json(name).dump(), kManagedByLabel, kManager, kMasterKeyEntry, encoded);
  wipe(encoded);
  return json;
}

} // namespace

Result<CurveSource> keep_master_key(kube::Client& client, const std::string& name_space,
                                    const std::string& name, const std::stop_token& stop) {
  const std::string path = kube::path_of(kSecrets, name_space, name);
  const std::string where = std::format("Secret {}/{}, the master key", name_space, name);
  auto stored = client.get(path, stop);
  if (!stored && stored.error().kind == ErrorKind::kNotFound) {
    if (sodium_init() < 0) return fail(where, "there is no source of random bytes");
    std::string json = new_secret(name);
    stored = client.create(kube::path_of(kSecrets, name_space), json, {}, stop);
    wipe(json);
    // The other replica was first.
    if (!stored && stored.error().kind == ErrorKind::kAlreadyExists) stored = client.get(path, stop);
  }
  if (!stored) return fail(where, stored.error().text());
  return read_key(*stored, where);
}

} // namespace fluxhook::companion
