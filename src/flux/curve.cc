#include "fluxhook/flux/curve.h"

#include <sodium.h>

namespace fluxhook::flux {

namespace {

static_assert(std::tuple_size_v<Key> == crypto_scalarmult_SCALARBYTES);
static_assert(std::tuple_size_v<Key> == crypto_scalarmult_BYTES);
static_assert(std::tuple_size_v<Key> == crypto_hash_sha256_BYTES);
static_assert(std::tuple_size_v<Key> == crypto_generichash_KEYBYTES);

/// A secret half that leaves no trace in memory.
class Secret {
public:
  Secret() {
    // Picks the code for this processor, once; any thread may come first. What is used here needs no
    // randomness and works also where that fails.
    static const int initialized = sodium_init();
    static_cast<void>(initialized);
  }
  ~Secret() { sodium_memzero(bytes.data(), bytes.size()); }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  [[nodiscard]] CurveKeys pair() const {
    Key shared{};
    static_cast<void>(crypto_scalarmult_base(shared.data(), bytes.data())); // always 0
    return {.public_key = z85_encode(shared), .secret_key = z85_encode(bytes)};
  }

  Key bytes{};
};

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

} // namespace

CurveKeys derive_curve_keys(const Key& master, std::string_view uid) {
  using namespace std::string_view_literals;
  constexpr std::string_view kPurpose = "fluxhook curve v1\0"sv;
  Secret secret;
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, master.data(), master.size(), secret.bytes.size());
  crypto_generichash_update(&hash, bytes_of(kPurpose), kPurpose.size());
  crypto_generichash_update(&hash, bytes_of(uid), uid.size());
  crypto_generichash_final(&hash, secret.bytes.data(), secret.bytes.size());
  sodium_memzero(&hash, sizeof hash);
  return secret.pair();
}

CurveKeys derive_curve_keys_from_uid(std::string_view uid) {
  Secret secret;
  crypto_hash_sha256(secret.bytes.data(), bytes_of(uid), uid.size());
  return secret.pair();
}

} // namespace fluxhook::flux
