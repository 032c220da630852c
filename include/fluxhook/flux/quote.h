#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::flux {

// Each gives one complete word of its language, whatever bytes come in, or an error where the language cannot
// hold them.

/// A POSIX shell word in single quotes. Error: NUL.
[[nodiscard]] Result<std::string> quote_shell(std::string_view text);
/// A TOML basic string with its quotes (TOML 1.0). Error: NUL, or not UTF-8.
[[nodiscard]] Result<std::string> quote_toml(std::string_view text);
/// A ZPL value with its quotes (ZeroMQ RFC 4), within what flux-core's reader takes in a certificate
/// (src/common/libzmqutil/cert.c): letters, digits, space, tab and `.-:+=^!/*?&<>()[]{}@%$#`. Error: any
/// other character; ZPL has no escapes.
[[nodiscard]] Result<std::string> quote_zpl(std::string_view text);
/// A host name as an item of a hostlist (RFC 29 of flux-framework), where it stands as it is: brackets,
/// commas and blanks have a meaning and there are no escapes. Error: what is no DNS label, as Flux's
/// bootstrap and Kubernetes both want one.
[[nodiscard]] Result<std::string> quote_hostlist(std::string_view host);

} // namespace fluxhook::flux
