#include "cli/config_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {

namespace {

using manifest::Node;

/// What says how to read the words, and so can't stand in a file.
constexpr std::array<std::string_view, 3> kWordsOnly{"help", "version", "config"};

std::vector<CLI::Option*> all_options(CLI::App& command) {
  std::vector<CLI::Option*> options;
  for (CLI::App* app = &command; app != nullptr; app = app->get_parent())
    std::ranges::copy(app->get_options(), std::back_inserter(options));
  std::erase_if(options, [](const CLI::Option* option) {
    return option->get_lnames().empty() ||
           std::ranges::find(kWordsOnly, option->get_lnames().front()) != kWordsOnly.end();
  });
  return options;
}

std::string unknown(std::string_view key, const std::vector<CLI::Option*>& options) {
  std::vector<std::string_view> names;
  names.reserve(options.size());
  for (const CLI::Option* option : options)
    names.push_back(option->get_lnames().front());
  const std::string_view near = nearest(key, names);
  return fluxhook::in_quotes(key) + " is no flag" +
         (near.empty() ? "" : ": did you mean " + std::string(near) + "?");
}

/// The option of that name, of any command below `app`; nullptr when there is none.
CLI::Option* find_below(const std::string& name, CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    if (CLI::Option* const option = command->get_option_no_throw("--" + name)) return option;
    if (CLI::Option* const option = find_below(name, *command)) return option;
  }
  return nullptr;
}

/// The option of that name, of the command or else of another one; nullptr when there is none.
CLI::Option* find_option(const std::string& name, const std::vector<CLI::Option*>& own, CLI::App& command) {
  const auto found = std::ranges::find(own, name, [](const auto* o) { return o->get_lnames().front(); });
  if (found != own.end()) return *found;
  if (std::ranges::contains(kWordsOnly, name)) return nullptr;
  CLI::App* root = &command;
  while (root->get_parent() != nullptr)
    root = root->get_parent();
  return find_below(name, *root);
}

bool is_scalar(const Node& node) {
  return node.kind == Node::Kind::kString || node.kind == Node::Kind::kNumber ||
         node.kind == Node::Kind::kBool;
}

/// A boolean or a number as it is written in the file: `off` and not false, 0777 and not 511; empty where
/// that can't be seen.
std::string_view spelling(const Node& scalar, const manifest::Document& document) {
  std::string_view text = document.text;
  for (std::uint32_t line = document.line; line < scalar.at.line; ++line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  for (std::uint32_t column = 1; column < scalar.at.column && !text.empty(); ++column) {
    text.remove_prefix(1);
    while (!text.empty() && continues_character(text.front()))
      text.remove_prefix(1);
  }
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n,]}"));
  return word.find_first_of("&*!\"'") == word.npos ? word : std::string_view();
}

using Words = std::vector<std::string>;

/// The words that a value stands for; none: it is not a scalar or a list of them. `written`: as they stand in
/// the file, else as YAML reads them.
Words words(const Node& value, const manifest::Document& document, bool written) {
  const auto word = [&](const Node& scalar) {
    const bool text = scalar.kind == Node::Kind::kString || !written;
    const std::string_view as_written = text ? std::string_view() : spelling(scalar, document);
    return as_written.empty() ? scalar.text : std::string(as_written);
  };
  if (is_scalar(value)) return {word(value)};
  Words all;
  for (const Node& item : value.items) {
    if (!is_scalar(item)) return {};
    all.push_back(word(item));
  }
  return all;
}

/// "" when the option takes the words.
std::string try_words(CLI::Option& option, const Words& values) {
  try {
    option.clear();
    for (const std::string& value : values)
      option.add_result(value);
    option.run_callback();
  } catch (const CLI::Error& error) {
    return error.what();
  }
  return {};
}

Result<void> set(CLI::Option& option, const manifest::Member& member, const manifest::Document& document,
                 const std::string& file) {
  const std::string where = manifest::place(file, member.value.at);
  const bool is_flag = option.get_items_expected_min() == 0;
  const Words values = words(member.value, document, !is_flag);
  if (values.empty()) return fail(where, member.key + ": must be a value, or a list of values");
  if (values.size() > 1 && option.get_items_expected_max() <= 1)
    return fail(where, member.key + ": takes one value, not a list");
  constexpr std::array<std::string_view, 6> kBooleans{"true", "false", "yes", "no", "on", "off"};
  if (is_flag && !std::ranges::contains(kBooleans, values.front()))
    return fail(where, member.key + ": " + fluxhook::in_quotes(values.front()) + ": must be true or false");
  const std::string fault = try_words(option, values);
  if (fault.empty() || try_words(option, words(member.value, document, false)).empty()) return {};
  return fail(where, fault);
}

Result<void> apply(CLI::App& command, const manifest::Document& document, const std::string& file) {
  const Node& root = document.root;
  if (root.kind != Node::Kind::kObject)
    return fail(manifest::place(file, root.at), "must be one object: FLAG: VALUE");
  const std::vector<CLI::Option*> options = all_options(command);
  std::vector<CLI::Option*> given;
  std::ranges::copy_if(options, std::back_inserter(given), [](auto* option) { return option->count() > 0; });
  for (const manifest::Member& member : root.members) {
    if (member.key == "write")
      return fail(manifest::place(file, member.at), "--write changes files: give it on the command line");
    CLI::Option* const option = find_option(member.key, options, command);
    if (option == nullptr) return fail(manifest::place(file, member.at), unknown(member.key, options));
    if (std::ranges::contains(given, option)) continue;
    if (auto done = set(*option, member, document, file); !done) return done;
  }
  return {};
}

/// Takes the file's first document; a file may also have nothing but comments.
Result<void> apply_file(CLI::App& command, const std::string& file) {
  std::istringstream no_input;
  auto reader = manifest::Reader::open(file, no_input);
  if (!reader) return std::unexpected(reader.error());
  const auto document = reader->next();
  if (!document) return {};
  if (!*document) return std::unexpected(document->error());
  return apply(command, **document, file);
}

} // namespace

bool apply_config(CLI::App& command, Context& context) {
  if (context.config.empty()) return true;
  const auto applied = apply_file(command, context.config);
  if (!applied) context.fail(applied.error().text());
  return applied.has_value();
}

} // namespace fluxhook::cli
