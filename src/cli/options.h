#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace fluxhook::cli {

/// Has an option take one of these words, "text|json", which is what --help, completion and manual pages
/// show.
CLI::Option* one_of(CLI::Option* option, const std::string& words);

/// The commands below one, in the order of --help.
[[nodiscard]] std::vector<const CLI::App*> subcommands(const CLI::App& command);

} // namespace fluxhook::cli
