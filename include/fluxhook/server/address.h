#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::server {

/// Where to listen. An empty host means all addresses, IPv6 and IPv4; port 0 picks a free one.
struct Address {
  std::string host; ///< a name or a number, IPv6 without brackets
  std::uint16_t port = 0;

  [[nodiscard]] std::string text() const; ///< "127.0.0.1:9443", "[::]:9443"

  bool operator==(const Address&) const = default;
};

/// Reads HOST:PORT, :PORT or [IPV6]:PORT. Error: anything else.
[[nodiscard]] Result<Address> parse_address(std::string_view text);

} // namespace fluxhook::server
