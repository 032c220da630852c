#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace fluxhook::cli {

/// The hidden first word with which the build makes the manual pages: `fluxhook __man FOLDER`.
inline constexpr std::string_view kManWord = "__man";

struct ManPage {
  std::string name; ///< fluxhook-validate
  std::string text; ///< man(7)
};

/// The pages of a program and all its commands, of section 1: what their --help says. They have no date, so
/// that a build can be repeated.
[[nodiscard]] std::vector<ManPage> man_pages(const CLI::App& app);

} // namespace fluxhook::cli
