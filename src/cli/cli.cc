#include "fluxhook/cli/cli.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man.h"
#include "cli/options.h"
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

constexpr std::array kCommands{add_serve, add_validate, add_mutate, add_explain,   add_migrate,
                               add_certs, add_doctor,   add_replay, add_completion};

constexpr auto kAbout = "Turns a labelled JobSet into a Flux Framework cluster.";
constexpr auto kFooter = "Exit codes: 0 done; 1 findings or a denial; 2 the question could not be answered; "
                         "3, of a command that asks a cluster or a server: it could not be reached.\n"
                         "fluxhook COMMAND --help says more.";
constexpr auto kCommon = "Common: --config FILE; for serve's log --log-level LEVEL, --log-format text|json.";

void add_common(CLI::App& app, Context& context) {
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "fluxhook " + std::string(kVersion), "Print the version and exit");
  app.add_option("--config", context.config,
                 "YAML file whose keys are a command's long flags; what the command line gives goes first")
      ->check([](const std::string& path) { return path.empty() ? "must name a file" : ""; }, "", "")
      ->type_name("FILE");
  one_of(app.add_option("--log-level", context.log_level, "What serve's log has"),
         "trace|debug|info|warn|error|off")
      ->capture_default_str();
  one_of(app.add_option("--log-format", context.log_format, "Of serve's log, on stderr"), "text|json")
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

/// Whether some command's flag of that name (with its dashes) takes a value; none: there is no such flag.
std::optional<bool> takes_value(const CLI::App& app, const std::string& name) {
  std::optional<bool> takes;
  if (const CLI::Option* const option = app.get_option_no_throw(name); option != nullptr)
    takes = option->get_items_expected_min() > 0;
  for (const CLI::App* command : subcommands(app)) {
    const auto below = takes_value(*command, name);
    if (below) takes = takes.value_or(false) || *below;
  }
  return takes;
}

/// A flag among the unknown words that `command` has, or, where none is named, one of its commands: it stands
/// before the command. "": none.
std::string flag_too_early(const CLI::App& command, const std::vector<std::string>& unknown) {
  for (const std::string& word : unknown) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with('-') && takes_value(command, name)) return name;
  }
  return {};
}

/// What is wrong with the words, where CLI11 says less than it could.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app; // the last one that was named
  std::string words = "fluxhook ";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    words += command->get_name() + " ";
  }
  const auto all = subcommands(*command);
  const std::string early = flag_too_early(*command, app.remaining(true));
  if (!early.empty())
    return early + " is a flag of " + (all.empty() ? command->get_name() : "commands") +
           ": it comes after the command";
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

/// Whether the words name a command, or one of a command.
bool name_command(const std::vector<std::string>& words, const CLI::App& app) {
  const CLI::App* command = &app;
  return std::ranges::all_of(words, [&](const std::string& word) {
    const auto all = subcommands(*command);
    const auto found = std::ranges::find(all, word, [](const CLI::App* one) { return one->get_name(); });
    if (found == all.end()) return false;
    command = *found;
    return true;
  });
}

/// `help COMMAND` and `version`, which other programs have as commands, as the flags that they are here.
void take_as_flags(std::vector<std::string>& words, const CLI::App& app) {
  if (words.empty()) return;
  if (words.front() == "help") {
    words.erase(words.begin());
    if (name_command(words, app)) words.emplace_back("--help"); // else it is refused as a command
  } else if (words.front() == "version") words.front() = "--version";
}

/// The words as CLI11 wants them, the last one first. `--flag=` is made two words: it would take the next
/// word for the empty value. Error: `=` without a value behind a flag that takes none.
std::vector<std::string> words_of(int argc, const char* const* argv, const CLI::App& app) {
  std::vector<std::string> words;
  bool flags = true; // until --
  for (const std::string word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    flags = flags && word != "--";
    const std::size_t equals = word.find('=');
    const bool empty = flags && word.starts_with("--") && equals == word.size() - 1;
    const auto takes = empty ? takes_value(app, word.substr(0, equals)) : std::nullopt;
    if (takes == false) throw CLI::ArgumentMismatch(word + ": " + word.substr(0, equals) + " takes no value");
    if (takes == true) words.insert(words.end(), {word.substr(0, equals), ""});
    else words.push_back(word);
  }
  take_as_flags(words, app);
  std::ranges::reverse(words);
  return words;
}

void write_man_pages(const CLI::App& app, const std::filesystem::path& folder, Context& context) {
  for (const auto& [name, text] : man_pages(app)) {
    const std::string path = folder / (name + ".1");
    if (!(std::ofstream(path) << text << std::flush)) return context.fail(path + ": can't be written");
  }
}

/// A word that is for shells and for the build; false: it is none.
bool run_hidden(const CLI::App& app, std::span<const char* const> words, Context& context) {
  if (words.size() < 2) return false;
  if (words[1] == kCompleteWord)
    context.out << complete(app, std::vector<std::string>(words.begin() + 2, words.end()));
  else if (words[1] == kManWord && words.size() == 3) write_man_pages(app, words[2], context);
  else return false;
  return true;
}

/// Help without the second of two blank lines that CLI11 leaves between groups: it is to fit a screen.
std::string squeezed(std::string text) {
  constexpr std::string_view kTwoBlankLines = "\n\n\n";
  for (auto at = text.find(kTwoBlankLines); at != text.npos; at = text.find(kTwoBlankLines, at))
    text.erase(at, 1);
  return text;
}

int parse_and_run(int argc, const char* const* argv, Context& context) {
  CLI::App app(kAbout, "fluxhook");
  app.get_formatter()->column_width(44); // most flags then take one line
  add_common(app, context);
  app.footer(kFooter);
  app.require_subcommand(1);
  add_commands(app, context);
  if (run_hidden(app, std::span(argv, static_cast<std::size_t>(argc)), context)) return context.exit;
  try {
    app.parse(words_of(argc, argv, app));
  } catch (const CLI::Success& done) { // --help, --version
    std::ostringstream help;
    const int code = app.exit(done, help, context.err);
    context.out << squeezed(std::move(help).str());
    return code;
  } catch (const CLI::ArgumentMismatch& error) {
    context.fail(error.what());
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
