#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"
#include "fluxhook/certs/policy.h"

namespace fluxhook::certs {

/// The Secret of a self-managed certificate as it is stored, type kubernetes.io/tls.
struct StoredSecret {
  Record record;       ///< a key that is absent, or no base64, reads as ""
  std::string manager; ///< who makes it if it is not us: "cert-manager"; else ""
  std::string json;    ///< all of it, its resourceVersion included
};

/// Error: no Secret.
[[nodiscard]] Result<StoredSecret> read_secret(std::string_view json);

/// A new Secret with this record, JSON. `with_authority_key` false: without ca.key.
[[nodiscard]] std::string new_secret(const std::string& name, const std::string& name_space,
                                     const Record& record, bool with_authority_key = true);

/// The stored Secret with another record; what else it has, stays.
[[nodiscard]] std::string with_record(const StoredSecret& stored, const Record& record);

} // namespace fluxhook::certs
