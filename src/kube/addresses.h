#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace fluxhook::kube {

/// The addresses of a host, as text and in the order to try them; a host that is one is its own. None: it has
/// none, nobody has told within `most`, or `stop` was requested.
[[nodiscard]] std::vector<std::string> addresses_of(const std::string& host, std::chrono::milliseconds most,
                                                    const std::stop_token& stop);

} // namespace fluxhook::kube
