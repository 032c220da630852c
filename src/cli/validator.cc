#include "cli/validator.h"

#include <algorithm>
#include <utility>

namespace fluxhook::cli {

using manifest::Node;

void Validator::take(const std::string& file, manifest::Document& document) {
  Ignores ignores(document);
  file_ = &file;
  document_ = &document;
  ignores_ = &ignores;
  for (const Node* object : manifest::objects(document.root))
    take_object(*object);
  check_ignores();
}

void Validator::fault(const Error& error) {
  ++summary_.unreadable;
  output_.fault(error);
}

void Validator::passed_over(const std::string& file, const std::string& why) {
  ++summary_.warnings;
  output_.note(file, {}, why);
}

void Validator::end() {
  output_.end(summary_);
  context_.tell("fluxhook: " + summary_.text());
  const bool failed = summary_.errors > 0 || (rules_.warnings_as_errors && summary_.warnings > 0);
  if (failed) context_.exit = std::max<int>(context_.exit, kFindings);
}

void Validator::take_object(const Node& object) {
  ++summary_.documents;
  if (const std::string what = near_miss(object, rules_.defaults.label); !what.empty()) warn(object.at, what);
  Node made;
  const auto subject = subject_of(object, made);
  if (!subject) {
    ++(is_kubernetes_object(object) ? summary_.others : summary_.not_objects);
    return;
  }
  const auto decision = decide(*subject, *file_, rules_.defaults);
  if (!decision) {
    context_.report(decision.error());
    return fault(decision.error());
  }
  count(*decision);
  if (decision->outcome.selected) output_.object(*file_, display_name(*subject, decision->jobset()));
  told_ = 0;
  for (Located& located : locate_findings(*subject, decision->outcome)) {
    const flux::Severity severity = located.finding.severity();
    report(*subject, *decision, std::move(located), severity);
  }
  if (told_ > flux::kMaxTold && !rules_.all)
    context_.tell(manifest::place(*file_, object.at) + ": and " + std::to_string(told_ - flux::kMaxTold) +
                  " more");
  if (rules_.strict && !decision->outcome.selected) check_settings(*subject, *decision);
}

void Validator::count(const Decision& decision) {
  const auto& jobset = decision.jobset();
  const std::string field = "metadata.labels[" + rules_.defaults.label + "]";
  const bool labelled = (jobset.labels && jobset.labels->find(rules_.defaults.label) != nullptr) ||
                        std::ranges::contains(jobset.type_errors, field, &k8s::FieldError::field);
  if (decision.outcome.selected) ++summary_.judged;
  else ++(labelled ? summary_.unselected : summary_.unlabelled);
}

/// Of what no rule is about.
void Validator::warn(manifest::Position at, const std::string& what) {
  ++summary_.warnings;
  context_.tell(manifest::place(*file_, at) + ": warning: " + what);
  output_.note(*file_, at, what);
}

/// Settings on a JobSet without the label say that it was forgotten.
void Validator::check_settings(const Subject& subject, const Decision& decision) {
  const auto& annotations = decision.jobset().annotations;
  const auto is_label_hint = [](const flux::Finding& one) { return one.rule == flux::Rule::kUnknownLabel; };
  if (!annotations || !std::ranges::all_of(decision.outcome.findings, is_label_hint)) return;
  for (const auto& [key, value] : annotations->entries) {
    if (!key.starts_with(flux::kPrefix) || key == flux::kInjectedAnnotation) continue;
    const std::string field = "metadata.annotations[" + std::string(key) + "]";
    flux::Finding finding{
        flux::Rule::kLabelValue,
        k8s::forbidden(subject.prefix + field,
                       "has no effect: the JobSet lacks the label " + rules_.defaults.label)};
    report(subject, decision, {std::move(finding), manifest::locate(*subject.object, field), {}},
           flux::Severity::kError);
  }
}

/// A comment that nobody needs hides the next fault in its line.
void Validator::check_ignores() {
  for (const Ignores::Fault& one : ignores_->faults()) {
    const Error error{manifest::place(*file_, {one.line, 1}), one.what};
    context_.report(error);
    ++summary_.faulty_ignores;
    output_.fault(error);
  }
  for (const Ignores::Fault& one : ignores_->unused())
    warn({one.line, 1}, one.what);
}

void Validator::report(const Subject& subject, const Decision& decision, Located located,
                       flux::Severity severity) {
  const flux::Rule rule = located.finding.rule;
  if (ignores_->take(rule, located.at.line)) {
    ++summary_.ignored;
    return;
  }
  if (std::ranges::contains(rules_.disabled, rule)) return;
  ++(severity == flux::Severity::kError ? summary_.errors : summary_.warnings);
  if (++told_ > flux::kMaxTold && !rules_.all) return;
  output_.finding({*file_, located.at, display_name(subject, decision.jobset()), severity,
                   std::move(located.finding), located.hint, manifest::line_of(*document_, located.at.line)});
}

} // namespace fluxhook::cli
