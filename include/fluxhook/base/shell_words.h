#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook {

/// The words of `text` as a POSIX shell splits them: blanks separate; '…', "…" and \ quote. Nothing is
/// expanded: `$`, backquotes and globs stand for themselves. Error: an open quote or a trailing backslash.
[[nodiscard]] Result<std::vector<std::string>> split_shell_words(std::string_view text);

/// `text` as one word of a POSIX shell, in quotes only where it needs them. A NUL stays: no shell word can
/// hold one (flux::quote_shell refuses it).
[[nodiscard]] std::string shell_word(std::string_view text);

} // namespace fluxhook
