#pragma once

#include <chrono>
#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/kube/config.h"

namespace fluxhook::kube {

/// What base64 stands for; line breaks in it don't count, as in Go. Error: `source` and what is wrong.
[[nodiscard]] Result<std::string> decode_base64(std::string text, const std::string& source);

/// Whether there is at least one certificate in it, and nothing broken.
[[nodiscard]] Result<void> check_ca(const Pem& ca);

/// Whether certificate and key can be read, belong together, and the certificate is valid at `now`.
[[nodiscard]] Result<void> check_client_pair(const Pem& certificate, const Pem& key,
                                             std::chrono::system_clock::time_point now);

} // namespace fluxhook::kube
