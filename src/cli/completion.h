#pragma once

#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace fluxhook::cli {

/// The hidden first word by which a shell's script asks for completions.
inline constexpr std::string_view kCompleteWord = "__complete";

/// What may stand for the last of `words`, the beginning of a word (or ""), behind the ones before it. In the
/// form that kubectl and the shells' scripts take (cobra's __complete): a line for each candidate, with its
/// meaning behind a tab, and last `:N`: 0 a file's name, 4 nothing but these, 8 a file that ends in one of
/// these, 16 a folder's name.
[[nodiscard]] std::string complete(const CLI::App& app, std::span<const std::string> words);

/// The script for bash, zsh or fish; it asks the installed program, so it fits every version.
[[nodiscard]] std::string completion_script(std::string_view shell);

} // namespace fluxhook::cli
