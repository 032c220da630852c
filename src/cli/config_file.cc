#include "cli/config_file.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {

namespace {

using manifest::Node;

/// What says how to read the words, and so can't stand in a file.
constexpr std::array<std::string_view, 3> kWordsOnly{"help", "version", "config"};

std::vector<CLI::Option*> all_options(CLI::App& command) {
  std::vector<CLI::Option*> options = command.get_options();
  if (command.get_parent() != nullptr)
    std::ranges::copy(command.get_parent()->get_options(), std::back_inserter(options));
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
  return fluxhook::quoted(key) + " is no flag" +
         (near.empty() ? "" : ": did you mean " + std::string(near) + "?");
}

/// Whether another command has the flag: a server's file serves `validate` and `mutate` as well.
bool is_flag_elsewhere(const std::string& name, CLI::App& command) {
  if (command.get_parent() == nullptr || std::ranges::find(kWordsOnly, name) != kWordsOnly.end())
    return false;
  return std::ranges::any_of(command.get_parent()->get_subcommands({}), [&](CLI::App* other) {
    return other->get_option_no_throw("--" + name) != nullptr;
  });
}

bool is_scalar(const Node& node) {
  return node.kind == Node::Kind::kString || node.kind == Node::Kind::kNumber ||
         node.kind == Node::Kind::kBool;
}

/// The words that a value stands for; none: it is not a scalar or a list of them.
std::vector<std::string> words(const Node& value) {
  if (is_scalar(value)) return {value.text};
  std::vector<std::string> all;
  for (const Node& item : value.items) {
    if (!is_scalar(item)) return {};
    all.push_back(item.text);
  }
  return all;
}

Result<void> set(CLI::Option& option, const manifest::Member& member, const std::string& file) {
  const std::string where = manifest::place(file, member.value.at);
  const std::vector<std::string> values = words(member.value);
  if (values.empty()) return fail(where, member.key + ": must be a value, or a list of values");
  if (values.size() > 1 && option.get_items_expected_max() == 1)
    return fail(where, member.key + ": takes one value, not a list");
  try {
    option.clear();
    for (const std::string& value : values)
      option.add_result(value);
    option.run_callback();
  } catch (const CLI::Error& error) {
    return fail(where, error.what());
  }
  return {};
}

} // namespace

Result<void> apply_config(CLI::App& command, const std::string& file) {
  std::istringstream no_input;
  auto reader = manifest::Reader::open(file, no_input);
  if (!reader) return std::unexpected(reader.error());
  const auto document = reader->next();
  if (!document) return {}; // nothing but comments
  if (!*document) return std::unexpected(document->error());
  const Node& root = (*document)->root;
  if (root.kind != Node::Kind::kObject)
    return fail(manifest::place(file, root.at), "must be one object: FLAG: VALUE");
  const std::vector<CLI::Option*> options = all_options(command);
  std::vector<CLI::Option*> given;
  std::ranges::copy_if(options, std::back_inserter(given), [](auto* option) { return option->count() > 0; });
  for (const manifest::Member& member : root.members) {
    if (member.key == "write")
      return fail(manifest::place(file, member.at), "--write changes files: give it on the command line");
    const auto option =
        std::ranges::find(options, member.key, [](const auto* o) { return o->get_lnames().front(); });
    if (option == options.end() && is_flag_elsewhere(member.key, command)) continue;
    if (option == options.end()) return fail(manifest::place(file, member.at), unknown(member.key, options));
    if (std::ranges::find(given, *option) != given.end()) continue;
    if (auto done = set(**option, member, file); !done) return done;
  }
  return {};
}

} // namespace fluxhook::cli
