#include "cli/options.h"

#include <CLI/CLI.hpp>

#include "fluxhook/base/text.h"

namespace fluxhook::cli {

CLI::Option* one_of(CLI::Option* option, const std::string& words) {
  const auto all = split(words, '|');
  const std::vector<std::string> set(all.begin(), all.end());
  return option->check(CLI::IsMember(set).description(""))->type_name(words);
}

std::vector<const CLI::App*> subcommands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

} // namespace fluxhook::cli
