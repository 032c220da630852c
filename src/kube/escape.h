#pragma once

#include <string>
#include <string_view>

namespace fluxhook::kube {

/// `text` for a part of a URL: what is not unreserved (RFC 3986, section 2.3), and not in `also`, as %XX.
[[nodiscard]] std::string escaped(std::string_view text, std::string_view also = {});

} // namespace fluxhook::kube
