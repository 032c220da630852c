/// Module files: small files read whole, and files put in the place of others.
#pragma once

#include <cstddef>
#include <string>

#include "fluxhook/base/result.h"

namespace fluxhook::files {

/// Bytes that a small file may have.
inline constexpr std::size_t kMostOfSmall = 1U << 20U;

/// All bytes of a certificate, a key or a token. It waits for nobody: what is no regular file, a pipe say, is
/// refused. No copy of the bytes is left anywhere else. Error: the path, and that it can't be read, is empty
/// or larger than kMostOfSmall.
[[nodiscard]] Result<std::string> read_small(const std::string& path);

} // namespace fluxhook::files
