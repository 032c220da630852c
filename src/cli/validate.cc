#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/defaults_flags.h"
#include "cli/input.h"
#include "cli/subject.h"
#include "cli/validate_output.h"
#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {
namespace {

using manifest::Node;

struct ValidateFlags {
  std::vector<std::string> paths;
  std::string output = "text";
  bool strict = false;
  bool warnings_as_errors = false;
  bool allow_empty = false;
  std::vector<std::string> disable;
  flux::Defaults defaults;
};

/// Decides each JobSet of the input as the mutating webhook would, and reports what it finds.
class Validator : public InputHandler {
public:
  Validator(const ValidateFlags& flags, std::vector<flux::Rule> disabled, ValidateOutput& output,
            Context& context)
      : flags_(flags), disabled_(std::move(disabled)), output_(output), context_(context) {}

  void take(const std::string& file, manifest::Document& document) override {
    for (const Node* object : manifest::objects(document.root))
      take_object(file, *object);
  }

  void fault(const Error& error) override {
    ++summary_.unreadable;
    output_.fault(error);
  }

  void end() {
    output_.end(summary_);
    context_.tell("fluxhook: " + summary_.text());
    const bool failed = summary_.errors > 0 || (flags_.warnings_as_errors && summary_.warnings > 0);
    if (failed) context_.exit = std::max<int>(context_.exit, kFindings);
  }

private:
  void take_object(const std::string& file, const Node& object) {
    ++summary_.documents;
    std::optional<Subject> subject;
    const ObjectKind kind = kind_of(object);
    if (kind == ObjectKind::kJobSet) subject = Subject{&object, nullptr, {}};
    if (kind == ObjectKind::kReview) subject = subject_of_review(object);
    if (!subject) {
      ++(is_kubernetes_object(object) ? summary_.others : summary_.not_objects);
      return warn_of_label(file, object);
    }
    const auto decision = decide(*subject, file, flags_.defaults);
    if (!decision) {
      context_.report(decision.error());
      return fault(decision.error());
    }
    count(*decision);
    told_ = 0;
    for (const Located& located : locate_findings(*subject, decision->outcome))
      report(file, *decision, located, located.finding->severity());
    if (told_ > flux::kMaxTold && flags_.output != "json")
      context_.tell(manifest::place(file, object.at) + ": and " + std::to_string(told_ - flux::kMaxTold) +
                    " more");
    if (flags_.strict && !decision->outcome.selected) check_settings(file, *subject, *decision);
  }

  void count(const Decision& decision) {
    const auto& jobset = decision.jobset();
    const std::string field = "metadata.labels[" + flags_.defaults.label + "]";
    const bool labelled = (jobset.labels && jobset.labels->find(flags_.defaults.label) != nullptr) ||
                          std::ranges::contains(jobset.type_errors, field, &k8s::FieldError::field);
    if (decision.outcome.selected) ++summary_.judged;
    else ++(labelled ? summary_.unselected : summary_.unlabelled);
  }

  /// No webhook ever sees such an object, so no rule is about it.
  void warn_of_label(const std::string& file, const Node& object) {
    const std::string what = near_miss(object, flags_.defaults.label);
    if (what.empty()) return;
    ++summary_.warnings;
    context_.tell(manifest::place(file, object.at) + ": warning: " + what);
    output_.note(file, object.at, what);
  }

  /// Settings on a JobSet without the label say that it was forgotten.
  void check_settings(const std::string& file, const Subject& subject, const Decision& decision) {
    const auto& annotations = decision.jobset().annotations;
    const auto is_label_hint = [](const flux::Finding& one) { return one.rule == flux::Rule::kUnknownLabel; };
    if (!annotations || !std::ranges::all_of(decision.outcome.findings, is_label_hint)) return;
    for (const auto& [key, value] : annotations->entries) {
      if (!key.starts_with(flux::kPrefix) || key == flux::kInjectedAnnotation) continue;
      const std::string field = "metadata.annotations[" + std::string(key) + "]";
      const flux::Finding finding{
          flux::Rule::kLabelValue,
          k8s::forbidden(field, "has no effect: the JobSet lacks the label " + flags_.defaults.label)};
      report(file, decision, {&finding, manifest::locate(*subject.object, field), {}},
             flux::Severity::kError);
    }
  }

  void report(const std::string& file, const Decision& decision, const Located& located,
              flux::Severity severity) {
    if (std::ranges::contains(disabled_, located.finding->rule)) return;
    ++(severity == flux::Severity::kError ? summary_.errors : summary_.warnings);
    if (++told_ > flux::kMaxTold && flags_.output != "json") return;
    output_.finding(
        {file, located.at, display_name(decision.jobset()), severity, *located.finding, located.hint});
  }

  const ValidateFlags& flags_;
  std::vector<flux::Rule> disabled_;
  ValidateOutput& output_;
  Context& context_;
  Summary summary_;
  std::size_t told_ = 0; ///< findings of the object
};

/// The rules that `words` name by id or name, in any case. Error: a word that is neither.
Result<std::vector<flux::Rule>> find_rules(const std::vector<std::string>& words) {
  std::vector<flux::Rule> found;
  for (const std::string& word : words) {
    const auto same = [&](std::string_view name) {
      return std::ranges::equal(
          word, name, {}, [](unsigned char c) { return std::toupper(c); },
          [](unsigned char c) { return std::toupper(c); });
    };
    const auto rule = std::ranges::find_if(flux::rules(), [&](const flux::RuleInfo& row) {
      return same(row.name) || same(flux::rule_id(row.rule));
    });
    if (rule == flux::rules().end())
      return fail("--disable", fluxhook::quoted(word) + " is no rule: docs/rules.md lists them");
    found.push_back(rule->rule);
  }
  return found;
}

std::unique_ptr<ValidateOutput> make_output(const std::string& format, Context& context) {
  if (format == "json") return json_findings(context);
  if (format == "github") return github_findings(context);
  return text_findings(context);
}

void validate(const ValidateFlags& flags, Context& context) {
  auto disabled = find_rules(flags.disable);
  if (!disabled) return context.fail(disabled.error().text());
  const auto output = make_output(flags.output, context);
  Validator validator(flags, std::move(*disabled), *output, context);
  read_input(flags.paths, flags.allow_empty, context, validator);
  if (!flags.paths.empty()) validator.end();
}

void add_flags(CLI::App& command, ValidateFlags& flags) {
  add_paths(command, flags.paths);
  command.add_option("-o,--output", flags.output, "Format")
      ->check(CLI::IsMember({"text", "json", "github"}).description(""))
      ->type_name("text|json|github")
      ->capture_default_str();
  command.add_flag("--strict", flags.strict, "Settings on a JobSet without the label are errors");
  command.add_flag("--warnings-as-errors", flags.warnings_as_errors, "Exit with 1 on warnings too");
  command
      .add_option("--disable", flags.disable, "Leave out rules, by id or name; with commas, or several times")
      ->type_name("RULE")
      ->allow_extra_args(false) // a path may follow
      ->delimiter(',');
  command.add_flag("--allow-empty", flags.allow_empty, "A path without any document is no fault");
  add_defaults(command, flags.defaults);
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
      "A document that is no Kubernetes object (values.yaml) is counted, and no finding, also with "
      "--strict.");
  command.callback([&command, &context, flags] {
    if (!apply_config(command, context)) return;
    validate(*flags, context);
  });
}

} // namespace fluxhook::cli
