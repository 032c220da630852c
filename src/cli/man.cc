#include "cli/man.h"

#include <algorithm>
#include <format>
#include <map>

#include <CLI/CLI.hpp>

#include "cli/options.h"
#include "fluxhook/base/version.h"

namespace fluxhook::cli {

namespace {

/// Text for a line of its own or a part of one.
std::string roff(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out;
}

std::string section(std::string_view name) { return std::format(".SH \"{}\"\n", roff(name)); }

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

/// fluxhook certs issue, or with hyphens.
std::string full_name(const CLI::App* command, char between) {
  std::string name = command->get_name();
  for (command = command->get_parent(); command != nullptr; command = command->get_parent())
    name.insert(0, command->get_name() + between);
  return name;
}

/// A value's name as it is to be replaced, or its words as they are typed.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() == 0) return {};
  if (type.empty()) return "\\fIVALUE\\fR";
  return (type.find('|') == type.npos ? "\\fI" : "\\fB") + roff(type) + "\\fR";
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += std::format("{}\\fB\\-{}\\fR", names.empty() ? "" : ", ", roff(name));
  for (const std::string& name : option.get_lnames())
    names += std::format("{}\\fB\\-\\-{}\\fR", names.empty() ? "" : ", ", roff(name));
  const std::string value = value_name(option);
  if (!value.empty()) names += " " + value;
  std::string text = ".TP\n" + names + "\n" + roff(option.get_description());
  const std::string otherwise = option.get_default_str();
  if (!otherwise.empty()) text += std::format(" (default: \\fB{}\\fR)", roff(otherwise));
  return text + "\n";
}

std::string operands(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) {
      const std::string type = option->get_type_name();
      words += type.empty() ? std::format(" [\\fI{}\\fR...]", roff(option->get_name()))
                            : " \\fB" + roff(type) + "\\fR";
    }
  return subcommands(command).empty() ? words : " \\fICOMMAND\\fR ...";
}

std::string options_of(const CLI::App& command) {
  std::vector<std::string> groups; // in the order of --help
  std::map<std::string, std::string> entries;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    const std::string& group = option->get_group();
    if (!entries.contains(group)) groups.push_back(group);
    entries[group] += option_entry(*option);
  }
  std::string text = section("OPTIONS");
  for (const std::string& group : groups) {
    if (groups.size() > 1 && group != "Options" && group != "OPTIONS")
      text += std::format(".SS \"{}\"\n", roff(group));
    text += entries[group];
  }
  return text;
}

/// What stands below a command's --help: sentences, and examples indented by two blanks.
struct Footer {
  std::string notes, examples;

  explicit Footer(std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.starts_with("  ")) examples += roff(line.substr(2)) + "\n";
      else if (!line.starts_with("Example") && !line.empty()) notes += roff(line) + "\n";
    }
  }
};

std::string commands_of(const CLI::App& command) {
  std::string text;
  for (const CLI::App* one : subcommands(command))
    text += std::format(".TP\n\\fB{}\\fR\n{}: see \\fB{}\\fR(1)\n", roff(full_name(one, ' ')),
                        roff(one->get_description()), roff(full_name(one, '-')));
  return text.empty() ? text : section("COMMANDS") + text;
}

std::string see_also(const CLI::App& command) {
  std::string text;
  if (const CLI::App* above = command.get_parent())
    text += std::format("\\fB{}\\fR(1)", roff(full_name(above, '-')));
  for (const CLI::App* one : subcommands(command))
    text += std::format("{}\\fB{}\\fR(1)", text.empty() ? "" : ", ", roff(full_name(one, '-')));
  return section("SEE ALSO") + text +
         ".\n.PP\nThe rules, the settings and the server: /usr/share/doc/fluxhook.\n";
}

std::string page(const CLI::App& command) {
  const Footer footer(command.get_footer());
  const std::string name = full_name(&command, '-');
  std::string text = std::format(".TH \"{}\" \"1\" \"\" \"fluxhook {}\" \"fluxhook\"\n", roff(capitals(name)),
                                 roff(kVersion));
  text += section("NAME") + std::format("{} \\- {}\n", roff(name), roff(command.get_description()));
  text += section("SYNOPSIS") + std::format("\\fB{}\\fR [\\fIOPTION\\fR...]{}\n",
                                            roff(full_name(&command, ' ')), operands(command));
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      text += std::format("{}\\fI{}\\fR: {}.\n", section("OPERANDS"), roff(option->get_name()),
                          roff(option->get_description()));
  text += commands_of(command) + options_of(command);
  if (!footer.notes.empty()) text += section("NOTES") + footer.notes;
  if (!footer.examples.empty()) text += section("EXAMPLES") + ".nf\n" + footer.examples + ".fi\n";
  return text + see_also(command);
}

void add_pages(const CLI::App& command, std::vector<ManPage>& pages) {
  pages.push_back({full_name(&command, '-'), page(command)});
  for (const CLI::App* one : subcommands(command))
    add_pages(*one, pages);
}

} // namespace

std::vector<ManPage> man_pages(const CLI::App& app) {
  std::vector<ManPage> pages;
  add_pages(app, pages);
  return pages;
}

} // namespace fluxhook::cli
