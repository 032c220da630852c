#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::cli {

/// Replaces a file's content at once: readers see the old one or the new one, also after a crash. Its mode
/// stays, its owner and group where this process may give them, and a symbolic link still leads to it;
/// another hard link keeps the old content. Error: it is no regular file, or can't be replaced; what was
/// there still is.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view content);

} // namespace fluxhook::cli
