#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/defaults_flags.h"
#include "cli/ignores.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/validate_output.h"
#include "cli/validator.h"
#include "fluxhook/base/text.h"

namespace fluxhook::cli {
namespace {

struct ValidateFlags {
  std::vector<std::string> paths;
  std::string output = "text";
  bool allow_empty = false;
  std::vector<std::string> disable;
  ValidateRules rules;
};

/// The rules that `words` name by id or name, in any case. Error: a word that is neither.
Result<std::vector<flux::Rule>> find_rules(const std::vector<std::string>& words) {
  std::vector<flux::Rule> found;
  for (const std::string& word : words) {
    const flux::RuleInfo* const rule = find_rule(word);
    if (rule == nullptr)
      return fail("--disable", fluxhook::in_quotes(word) + " is no rule: docs/rules.md lists them");
    found.push_back(rule->rule);
  }
  return found;
}

std::unique_ptr<ValidateOutput> make_output(const ValidateFlags& flags, Context& context) {
  if (flags.output == "json") return json_findings(context);
  if (flags.output == "sarif") return sarif_findings(context);
  if (flags.output == "junit") return junit_findings(context, flags.rules.warnings_as_errors);
  if (flags.output == "github") return github_findings(context);
  return text_findings(context);
}

void validate(ValidateFlags& flags, Context& context) {
  auto disabled = find_rules(flags.disable);
  if (!disabled) return context.fail(disabled.error().text());
  flags.rules.disabled = std::move(*disabled);
  flags.rules.all = flags.output != "text" && flags.output != "github";
  const auto output = make_output(flags, context);
  Validator validator(flags.rules, *output, context);
  read_input(flags.paths, flags.allow_empty, context, validator);
  if (!flags.paths.empty()) validator.end();
}

void add_flags(CLI::App& command, ValidateFlags& flags) {
  add_paths(command, flags.paths);
  one_of(command.add_option("-o,--output", flags.output, "Format"), "text|json|sarif|junit|github")
      ->capture_default_str();
  command.add_flag("--strict", flags.rules.strict, "Settings on a JobSet without the label are errors");
  command.add_flag("--warnings-as-errors", flags.rules.warnings_as_errors, "Exit with 1 on warnings too");
  command.add_option("--disable", flags.disable, "Leave out rules, by id or name; several: with commas")
      ->type_name("RULE")
      ->allow_extra_args(false) // a path may follow
      ->delimiter(',');
  command.add_flag("--allow-empty", flags.allow_empty, "A path without any document is no fault");
  add_defaults(command, flags.rules.defaults);
}

} // namespace

void add_validate(CLI::App& app, Context& context) {
  CLI::App& command = *app.add_subcommand("validate", "Check YAML or JSON with the webhook's own rules");
  auto flags = std::make_shared<ValidateFlags>();
  add_flags(command, *flags);
  command.footer(
      "Examples:\n"
      "  fluxhook validate manifests/\n"
      "  helm template ./chart | fluxhook validate --warnings-as-errors -o github -\n"
      "A comment `# fluxhook: ignore FH012 REASON`, at a finding's line or alone above it, leaves it out.\n"
      "What is no JobSet (values.yaml) is counted, and no finding.");
  command.callback([&command, &context, flags] {
    if (!apply_config(command, context)) return;
    validate(*flags, context);
  });
}

} // namespace fluxhook::cli
