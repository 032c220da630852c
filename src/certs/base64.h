#pragma once

#include <string>
#include <string_view>

namespace fluxhook::certs {

[[nodiscard]] std::string encode_base64(std::string_view bytes);
/// "" when it is none.
[[nodiscard]] std::string decode_base64(std::string_view text);

} // namespace fluxhook::certs
