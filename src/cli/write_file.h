#pragma once

#include <string>
#include <string_view>

#include "fluxhook/base/result.h"

namespace fluxhook::cli {

/// Replaces a file's content at once: readers see the old one or the new one, also after a crash. Its mode
/// stays, and a symbolic link still leads to it. Error: the file as it was is still there.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view content);

} // namespace fluxhook::cli
