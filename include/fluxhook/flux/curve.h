#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/z85.h"

namespace fluxhook::flux {

/// A CurveZMQ key pair in Z85 (ZeroMQ RFC 26, 32).
struct CurveKeys {
  std::string public_key;
  std::string secret_key;
};

/// secret = BLAKE2b-256 keyed with `master` over "fluxhook curve v1" 0x00 uid; public = X25519 with the base
/// point.
[[nodiscard]] CurveKeys derive_curve_keys(const Key& master, std::string_view uid);

/// secret = SHA-256(uid), as Kubeflow Trainer does: whoever reads the uid can compute it.
[[nodiscard]] CurveKeys derive_curve_keys_from_uid(std::string_view uid);

} // namespace fluxhook::flux
