#include "cli/subject.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fluxhook/base/text.h"
#include "fluxhook/k8s/names.h"
#include "fluxhook/manifest/reader.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::cli {

using manifest::Node;

ObjectKind kind_of(const Node& object) {
  const auto version = object.get("apiVersion");
  const auto kind = object.get("kind");
  if (version == "jobset.x-k8s.io/v1alpha2" && kind == "JobSet") return ObjectKind::kJobSet;
  if (version == "admission.k8s.io/v1" && kind == "AdmissionReview" && object.find("request") != nullptr)
    return ObjectKind::kReview;
  if (version.starts_with("trainer.kubeflow.org/") &&
      (kind == "TrainingRuntime" || kind == "ClusterTrainingRuntime"))
    return ObjectKind::kRuntime;
  return ObjectKind::kOther;
}

bool is_kubernetes_object(const Node& object) {
  const auto kind = object.get("kind");
  if (kind.empty() || object.get("apiVersion").empty()) return false;
  const Node* const items = kind == "List" ? object.find("items") : nullptr;
  return items == nullptr || items->kind == Node::Kind::kList;
}

std::string near_miss(const Node& object, const std::string& label) {
  const Node* const metadata = object.find("metadata");
  const Node* const labels = metadata == nullptr ? nullptr : metadata->find("labels");
  const Node* const value = labels == nullptr ? nullptr : labels->find(label);
  const ObjectKind own = kind_of(object);
  if ((own != ObjectKind::kOther && own != ObjectKind::kRuntime) || value == nullptr) return {};
  if (!flux::selects(value->text)) return {};
  const auto version = object.get("apiVersion");
  const std::string here = "the label " + label + " has no effect on " +
                           fluxhook::in_quotes(object.get("kind")) + " of " + fluxhook::in_quotes(version);
  if (version.starts_with("trainer.kubeflow.org/"))
    return here + ": Trainer gives a JobSet the labels in spec.template.metadata of its runtime";
  constexpr std::array<std::string_view, 1> kKinds{"JobSet"};
  const bool near = version.starts_with("jobset.x-k8s.io/") || !nearest(object.get("kind"), kKinds).empty();
  return here + (near ? ": did you mean JobSet of jobset.x-k8s.io/v1alpha2?"
                      : ": only JobSet of jobset.x-k8s.io/v1alpha2 is injected");
}

std::optional<Subject> subject_of_review(const Node& review) {
  const Node& request = *review.find("request");
  const auto operation = request.get("operation");
  const Node* object = request.find("object");
  const Node* old = request.find("oldObject");
  const bool update = operation == "UPDATE";
  if (!update && operation != "CREATE") return {};
  if (object == nullptr || kind_of(*object) != ObjectKind::kJobSet || !request.get("subResource").empty())
    return {};
  if (update && (old == nullptr || kind_of(*old) != ObjectKind::kJobSet)) return {};
  return Subject{object, update ? old : nullptr, std::string(request.get("uid")), {}, {}};
}

Node jobset_of_runtime(const Node& runtime) {
  const auto text = [](std::string_view value) {
    return Node{.kind = Node::Kind::kString, .at = {}, .text = std::string(value)};
  };
  Node jobset = manifest::find_field(runtime, "spec.template");
  Node* metadata = jobset.find("metadata");
  if (metadata == nullptr || metadata->kind != Node::Kind::kObject) {
    std::erase_if(jobset.members, [](const manifest::Member& one) { return one.key == "metadata"; });
    jobset.members.push_back(
        {"metadata", jobset.at, {.kind = Node::Kind::kObject, .at = jobset.at, .text = {}}});
    metadata = &jobset.members.back().value;
  }
  std::erase_if(metadata->members, [](const manifest::Member& one) { return one.key == "name"; });
  metadata->members.push_back({"name", metadata->at, text("trainjob")});
  jobset.members.push_back({"apiVersion", jobset.at, text("jobset.x-k8s.io/v1alpha2")});
  jobset.members.push_back({"kind", jobset.at, text("JobSet")});
  return jobset;
}

std::optional<Subject> subject_of(const Node& object, Node& made) {
  switch (kind_of(object)) {
  case ObjectKind::kJobSet: return Subject{&object, nullptr, {}, {}, {}};
  case ObjectKind::kReview: return subject_of_review(object);
  case ObjectKind::kOther: return {};
  case ObjectKind::kRuntime: break;
  }

  const Node* const spec = object.find("spec");
  const Node* const jobset = spec == nullptr ? nullptr : spec->find("template");
  if (jobset == nullptr || jobset->kind != Node::Kind::kObject) return {};
  made = jobset_of_runtime(object);
  const Node& name = manifest::find_field(object, "metadata.name");
  return Subject{&made, nullptr, {}, std::string(object.get("kind")) + " " + name.text, "spec.template."};
}

namespace {

Result<admission::JobSetDocument> parse(const Node& object, const std::string& file) {
  auto document = admission::JobSetDocument::parse(manifest::to_json(object));
  if (!document) return fail(manifest::place(file, object.at), document.error().what);
  return document;
}

constexpr std::string_view kBooleanWords =
    "without quotes y, yes, on, n, no and off are booleans to kubectl, as true and false are";

/// `inject: true` without quotes: the API server refuses the object before it asks a webhook.
void check_label_type(const std::string& label, Decision& decision) {
  const auto& errors = decision.jobset().type_errors;
  const auto fault = std::ranges::find(errors, "metadata.labels[" + label + "]", &k8s::FieldError::field);
  if (fault != errors.end() && !decision.outcome.selected)
    decision.outcome.findings = {{flux::Rule::kWrongType, *fault}};
}

} // namespace

Result<Decision> decide(const Subject& subject, const std::string& file, const flux::Defaults& defaults) {
  auto document = parse(*subject.object, file);
  if (!document) return std::unexpected(document.error());
  Decision decision{std::move(*document), {}, {}};
  if (subject.old != nullptr) {
    auto old = parse(*subject.old, file);
    if (!old) return std::unexpected(old.error());
    decision.old = std::move(*old);
  }
  flux::Request request{.uid = subject.uid, .object = &decision.document.jobset()};
  if (decision.old) {
    request.operation = flux::Operation::kUpdate;
    request.old = &decision.old->jobset();
  }
  decision.outcome = flux::mutate(request, defaults);
  check_label_type(defaults.label, decision);
  return decision;
}

std::vector<Located> locate_findings(const Subject& subject, const flux::Outcome& outcome) {
  std::vector<Located> all;
  for (const flux::Finding& finding : outcome.findings) {
    const Node& field = manifest::find_field(*subject.object, finding.error.field);
    flux::Finding shown = finding;
    shown.error.field = subject.prefix + shown.error.field;
    const bool is_word = finding.rule == flux::Rule::kWrongType && field.kind == Node::Kind::kBool;
    all.push_back({std::move(shown), field.at, is_word ? kBooleanWords : std::string_view()});
  }
  return all;
}

std::string finding_text(const flux::Finding& finding, std::string_view hint) {
  const std::string text = flux::rule_id(finding.rule) + " " + finding.error.text();
  return hint.empty() ? text : text + "; " + std::string(hint);
}

std::vector<std::string> finding_lines(const std::string& file, const Subject& subject,
                                       const flux::Outcome& outcome) {
  std::vector<std::string> lines;
  for (const Located& located : locate_findings(subject, outcome)) {
    if (lines.size() == flux::kMaxTold) {
      lines.push_back(manifest::place(file, subject.object->at) + ": and " +
                      std::to_string(outcome.findings.size() - flux::kMaxTold) + " more");
      break;
    }
    const bool error = located.finding.severity() == flux::Severity::kError;
    lines.push_back(manifest::place(file, located.at) + (error ? ": error " : ": warning ") +
                    finding_text(located.finding, located.hint));
  }
  return lines;
}

std::string display_name(const Subject& subject, const k8s::JobSet& jobset) {
  return subject.name.empty() ? display_name(jobset) : shortened(subject.name, 2 * k8s::kSubdomainLength);
}

std::string display_name(const k8s::JobSet& jobset) {
  std::string name = jobset.name_space.empty() ? "" : std::string(jobset.name_space) + "/";
  name += jobset.name.empty() ? std::string(jobset.generate_name) + "*" : std::string(jobset.name);
  return shortened(name, 2 * k8s::kSubdomainLength);
}

} // namespace fluxhook::cli
