#pragma once

#include <string>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook::server {

/// A serving certificate with the CA that vouches for it, all PEM.
struct Issued {
  std::string ca;    ///< the CA's certificate; its key is gone
  std::string chain; ///< the leaf
  std::string key;   ///< the leaf's, unencrypted
};

/// Makes a CA and a leaf (ECDSA P-256, a year from an hour ago) for `hosts`: names, and numbers as IP
/// addresses. Error: a host that can stand in no certificate.
[[nodiscard]] Result<Issued> issue_certificate(const std::vector<std::string>& hosts);

} // namespace fluxhook::server
