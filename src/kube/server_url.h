#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::kube {

/// The parts of an API server's URL.
struct ServerUrl {
  bool tls = true;
  std::string host; ///< a name or a number, IPv6 without brackets
  std::uint16_t port = 443;
  std::string path; ///< "" or "/prefix", without a final slash

  /// "https://[fd00::1]:6443/prefix"
  [[nodiscard]] std::string text() const;
  /// "[fd00::1]:6443", as the Host header has it.
  [[nodiscard]] std::string authority() const;
};

/// Error: anything but http(s)://HOST[:PORT][/PATH].
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view url);

} // namespace fluxhook::kube
