#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fluxhook {

/// A 32-byte key: a curve key half or the master key.
using Key = std::array<std::uint8_t, 32>;

/// The 40 Z85 characters of a key (ZeroMQ RFC 32).
[[nodiscard]] std::string z85_encode(const Key& key);

/// The key that 40 Z85 characters stand for; none when the length or a character is wrong.
[[nodiscard]] std::optional<Key> z85_decode(std::string_view text);

} // namespace fluxhook
