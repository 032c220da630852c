#pragma once

#include <string>
#include <string_view>

namespace fluxhook::cli {

/// The unified diff of two texts with three lines of context, as diff -u prints it, with these names in its
/// head; empty when they are equal. With `color`, removed lines are red and added ones green.
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after,
                                       std::string_view before_name, std::string_view after_name, bool color);

/// A file's name as patch(1) takes it: below the current folder where the file is, without `..`; in quotes
/// and with escapes, as GNU diff has it, where it holds what would end or hide it.
[[nodiscard]] std::string diff_name(const std::string& file);

} // namespace fluxhook::cli
