#include "fluxhook/cli/cli.h"

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "fluxhook/base/text.h"
#include "fluxhook/base/version.h"

namespace fluxhook::cli {

void Context::fail(std::string_view what, int code) {
  tell("fluxhook: error: " + std::string(what));
  exit = code;
}

void Context::report(const Error& error) {
  tell(error.where + ": error: " + error.what);
  exit = kNoAnswer;
}

void Context::tell(std::string_view line) const { err << printable(line) + '\n'; }

namespace {

constexpr std::array kCommands{add_serve, add_validate, add_mutate, add_explain, add_certs, add_doctor};

constexpr auto kAbout = "Turns a labelled JobSet into a Flux Framework cluster.";
constexpr auto kFooter = "Exit codes: 0 done; 1 findings or a denial; 2 the question could not be answered; "
                         "3, of a command that asks a cluster: it could not be reached.\n"
                         "fluxhook COMMAND --help says more.";
constexpr auto kCommon = "Common: --config FILE; for serve's log --log-level LEVEL, --log-format text|json.";

void add_common(CLI::App& app, Context& context) {
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "fluxhook " + std::string(kVersion), "Print the version and exit");
  app.add_option("--config", context.config,
                 "YAML file whose keys are a command's long flags; what the command line gives goes first")
      ->check([](const std::string& path) { return path.empty() ? "must name a file" : ""; }, "", "")
      ->type_name("FILE");
  app.add_option("--log-level", context.log_level,
                 "What serve's log has: trace, debug, info, warn, error, off")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}).description(""))
      ->type_name("LEVEL")
      ->capture_default_str();
  app.add_option("--log-format", context.log_format, "Of serve's log, on stderr")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("text|json")
      ->capture_default_str();
}

void finish_commands(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    command->fallthrough(); // the common flags are also taken after the command's name
    const std::string examples = command->get_footer();
    command->footer(examples.empty() ? kCommon : examples + "\n" + kCommon);
    finish_commands(*command);
  }
}

void add_commands(CLI::App& app, Context& context) {
  for (const auto add : kCommands)
    add(app, context);
  finish_commands(app);
}

/// What is wrong with the words, where CLI11 says less than it could.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app; // the last one that was named
  std::string words = "fluxhook ";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    words += command->get_name() + " ";
  }
  const auto all = command->get_subcommands([](const CLI::App*) { return true; });
  if (all.empty()) return error.what();
  const std::string see = "see " + words + "--help";
  const auto extra = app.remaining(true);
  if (extra.empty()) return "a command is missing: " + see;
  const std::string& word = extra.front();
  std::vector<std::string_view> names;
  std::ranges::transform(all, std::back_inserter(names),
                         [](const CLI::App* a) { return std::string_view(a->get_name()); });
  const std::string_view near = nearest(word, names);
  const std::string hint = near.empty() ? see : "did you mean " + std::string(near) + "?";
  return std::string(word.starts_with('-') ? "unknown flag " : "unknown command ") + word + ": " + hint;
}

/// Whether any command has a flag of that name (with its dashes) that takes a value.
bool takes_value(const CLI::App& app, const std::string& name) {
  const auto takes = [&](const CLI::App& command) {
    const CLI::Option* const option = command.get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_min() > 0;
  };
  return takes(app) || std::ranges::any_of(app.get_subcommands([](const CLI::App*) { return true; }),
                                           [&](const CLI::App* command) { return takes(*command); });
}

/// The words as CLI11 wants them, the last one first. `--flag=` is made two words: it would take the next
/// word for the empty value.
std::vector<std::string> words_of(int argc, const char* const* argv, const CLI::App& app) {
  std::vector<std::string> words;
  bool flags = true; // until --
  for (const std::string word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    flags = flags && word != "--";
    const std::size_t equals = word.find('=');
    const bool empty = flags && word.starts_with("--") && equals == word.size() - 1;
    if (empty && takes_value(app, word.substr(0, equals)))
      words.insert(words.end(), {word.substr(0, equals), ""});
    else words.push_back(word);
  }
  std::ranges::reverse(words);
  return words;
}

int parse_and_run(int argc, const char* const* argv, Context& context) {
  CLI::App app(kAbout, "fluxhook");
  add_common(app, context);
  app.footer(kFooter);
  app.require_subcommand(1);
  add_commands(app, context);
  try {
    app.parse(words_of(argc, argv, app));
  } catch (const CLI::Success& done) { // --help, --version
    return app.exit(done, context.out, context.err);
  } catch (const CLI::ParseError& error) {
    context.fail(explain(app, error));
  }
  return context.exit;
}

} // namespace

int run(int argc, const char* const* argv) noexcept {
  try {
    Context context{.in = std::cin, .out = std::cout, .err = std::cerr};
    const int code = parse_and_run(argc, argv, context);
    std::cout.flush();
    if (!std::cout) {
      std::cerr << "fluxhook: error: can't write to stdout\n";
      return kNoAnswer;
    }
    return code;
  } catch (const std::exception& error) {
    std::cerr << "fluxhook: error: " << printable(error.what()) << '\n';
    return kNoAnswer;
  }
}

} // namespace fluxhook::cli
