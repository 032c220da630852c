#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/admission/document.h"
#include "fluxhook/flux/plan.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::cli {

/// What a document's object is to fluxhook.
enum class ObjectKind : std::uint8_t {
  kJobSet,  ///< jobset.x-k8s.io/v1alpha2
  kReview,  ///< an AdmissionReview with a request
  kRuntime, ///< Kubeflow Trainer's TrainingRuntime or ClusterTrainingRuntime: a JobSet is in its
            ///< spec.template
  kOther,
};
[[nodiscard]] ObjectKind kind_of(const manifest::Node& object);

/// Whether it has what makes a Kubernetes object of a document: apiVersion and kind, and items that are a
/// list in a List.
[[nodiscard]] bool is_kubernetes_object(const manifest::Node& object);

/// What is to be said of an object of another kind that carries the label `label` as if it were to be
/// injected: "kind: Jobset of …: did you mean …"; "" when there is nothing to say.
[[nodiscard]] std::string near_miss(const manifest::Node& object, const std::string& label);

/// One JobSet, as it would reach the webhook. The nodes are borrowed.
struct Subject {
  const manifest::Node* object = nullptr;
  const manifest::Node* old = nullptr; ///< makes it an UPDATE
  std::string uid;                     ///< of the request
  std::string name;                    ///< to show instead of the object's own; empty: none
  std::string prefix;                  ///< of its fields in the document: spec.template.
};

/// The JobSet that Trainer will make of a runtime's template, but for what a TrainJob says: its name, for
/// which one stands, the number of nodes, and whatever it replaces in the containers.
[[nodiscard]] manifest::Node jobset_of_runtime(const manifest::Node& runtime);

/// The JobSet of a document's object, as a CREATE or as the review in it says; of a runtime it is made in
/// `made`. None: the webhook never sees such an object.
[[nodiscard]] std::optional<Subject> subject_of(const manifest::Node& object, manifest::Node& made);

/// The JobSet in an AdmissionReview that asks for its CREATE or UPDATE; none: the webhook has nothing to say.
[[nodiscard]] std::optional<Subject> subject_of_review(const manifest::Node& review);

/// What the webhook decides about a JobSet; keeps what the outcome borrows from.
struct Decision {
  admission::JobSetDocument document;
  std::optional<admission::JobSetDocument> old;
  flux::Outcome outcome;

  [[nodiscard]] const k8s::JobSet& jobset() const { return document.jobset(); }
};

/// Decides as the mutating webhook does, and on the label's type as the API server does before it. Error: an
/// object that the server could not read, with its place.
[[nodiscard]] Result<Decision> decide(const Subject& subject, const std::string& file,
                                      const flux::Defaults& defaults);

/// A finding with its place, ready to print.
struct Located {
  flux::Finding finding; ///< with the field as the document has it
  manifest::Position at;
  std::string_view hint; ///< what the file's syntax has to do with it; empty: nothing
};
[[nodiscard]] std::vector<Located> locate_findings(const Subject& subject, const flux::Outcome& outcome);

/// `FH001 FIELD: MESSAGE; HINT`; to be printed by printable().
[[nodiscard]] std::string finding_text(const flux::Finding& finding, std::string_view hint);

/// `FILE:LINE:COLUMN: error FH001 FIELD: MESSAGE` of each finding; of very many the first, and how many more.
[[nodiscard]] std::vector<std::string> finding_lines(const std::string& file, const Subject& subject,
                                                     const flux::Outcome& outcome);

/// namespace/name as the object has them; generateName stands with a `*`.
[[nodiscard]] std::string display_name(const Subject& subject, const k8s::JobSet& jobset);
[[nodiscard]] std::string display_name(const k8s::JobSet& jobset);

} // namespace fluxhook::cli
