#include "cli/completion.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/options.h"
#include "fluxhook/base/text.h"
#include "fluxhook/flux/rules.h"

namespace fluxhook::cli {

namespace {

// cobra's ShellCompDirective
enum Directive : int { kFiles = 0, kNothingElse = 4, kEndings = 8, kFolders = 16 };

/// Candidates, those that go on with what has been typed.
class Candidates {
public:
  explicit Candidates(std::string_view typed) : typed_(typed) {}

  /// `meaning`: its first line is shown.
  void add(const std::string& word, std::string_view meaning = {}) {
    if (!word.starts_with(typed_)) return;
    text_ += word;
    if (!meaning.empty()) text_ += "\t" + std::string(meaning.substr(0, meaning.find('\n')));
    text_ += "\n";
  }
  /// A line that is no candidate.
  void add_line(std::string_view line) { text_ += std::string(line) + "\n"; }

  [[nodiscard]] std::string end(Directive directive) const {
    return text_ + ":" + std::to_string(directive) + "\n";
  }

private:
  std::string_view typed_;
  std::string text_;
};

/// Where the words lead to.
struct Place {
  const CLI::App* command = nullptr;
  const CLI::Option* value_of = nullptr; ///< the next word is its value
  bool flags = true;                     ///< until --
};

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

/// An option of the command, or a common one; nullptr when there is none.
const CLI::Option* find_option(const CLI::App* command, const std::string& name) {
  for (; command != nullptr; command = command->get_parent())
    if (const CLI::Option* const option = command->get_option_no_throw(name)) return option;
  return nullptr;
}

Place follow(const CLI::App& app, std::span<const std::string> words) {
  Place place{.command = &app};
  for (const std::string& word : words) {
    if (place.value_of != nullptr) place.value_of = nullptr;
    else if (place.flags && word == "--") place.flags = false;
    else if (place.flags && word.starts_with('-')) {
      const CLI::Option* const option = find_option(place.command, word);
      if (takes_value(option)) place.value_of = option;
    } else if (const auto below = place.command->get_subcommands(
                   [&](const CLI::App* one) { return one->get_name() == word; });
               !below.empty())
      place.command = below.front();
  }
  return place;
}

std::string complete_rule(std::string_view typed) {
  const std::size_t comma = typed.rfind(',');
  const std::string before(comma == typed.npos ? "" : typed.substr(0, comma + 1));
  Candidates found(typed);
  for (const flux::RuleInfo& row : flux::rules())
    found.add(before + flux::rule_id(row.rule), row.title);
  return found.end(kNothingElse);
}

/// A value, behind `before` (`--flag=`) in its word.
std::string complete_value(const CLI::Option& option, std::string_view typed, const std::string& before) {
  const std::string type = option.get_type_name();
  const std::string all_typed = before + std::string(typed);
  Candidates found(all_typed);
  if (type == "FILE") return found.end(kFiles);
  if (type == "DIR") return found.end(kFolders);
  if (type == "RULE" && before.empty()) return complete_rule(typed);
  if (option.get_positional() && option.get_name() == "PATH") {
    for (const char* ending : {"yaml", "yml", "json"})
      found.add_line(ending);
    return found.end(kEndings);
  }
  const auto is_word = [](std::string_view part) {
    return !part.empty() && std::ranges::none_of(part, [](char c) { return c >= 'A' && c <= 'Z'; });
  };
  for (const std::string_view part : split(type, '|'))
    if (is_word(part)) found.add(before + std::string(part));
  return found.end(kNothingElse);
}

std::string complete_flag(const CLI::App* command, std::string_view typed) {
  Candidates found(typed);
  for (; command != nullptr; command = command->get_parent())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames())
        found.add("--" + name, option->get_description());
  return found.end(kNothingElse);
}

std::string complete_word(const CLI::App& command, std::string_view typed) {
  const auto all = subcommands(command);
  if (all.empty()) {
    for (const CLI::Option* option : command.get_options())
      if (option->get_positional()) return complete_value(*option, typed, {});
  }
  Candidates found(typed);
  for (const CLI::App* one : all)
    found.add(one->get_name(), one->get_description());
  return found.end(kNothingElse);
}

} // namespace

std::string complete(const CLI::App& app, std::span<const std::string> words) {
  if (words.empty()) return complete_word(app, {});
  const std::string& typed = words.back();
  const Place place = follow(app, words.first(words.size() - 1));
  if (place.value_of != nullptr) return complete_value(*place.value_of, typed, {});
  if (!place.flags || !typed.starts_with('-')) return complete_word(*place.command, typed);
  const std::size_t equals = typed.find('=');
  if (equals == typed.npos) return complete_flag(place.command, typed);
  const CLI::Option* const option = find_option(place.command, typed.substr(0, equals));
  if (!takes_value(option)) return Candidates(typed).end(kNothingElse);
  return complete_value(*option, std::string_view(typed).substr(equals + 1), typed.substr(0, equals + 1));
}

void add_completion(CLI::App& app, Context& context) {
  CLI::App& command = *app.add_subcommand("completion", "Print what lets a shell complete fluxhook's words");
  auto shell = std::make_shared<std::string>();
  one_of(command.add_option("SHELL", *shell, "The shell"), "bash|zsh|fish");
  command.footer("It asks the program that is installed, so it is to be set up once. `kubectl fluxhook` "
                 "completes where\n"
                 "kubectl does, with kubectl_complete-fluxhook on the PATH.\n"
                 "Examples:\n"
                 "  fluxhook completion bash > ~/.local/share/bash-completion/completions/fluxhook\n"
                 "  fluxhook completion fish > ~/.config/fish/completions/fluxhook.fish");
  command.callback([&command, &context, shell] {
    if (!apply_config(command, context)) return;
    if (shell->empty()) return context.fail("a shell is missing: bash, zsh or fish");
    context.out << completion_script(*shell);
  });
}

} // namespace fluxhook::cli
