#include "cli/mutation.h"

#include <modp_b64.h>

#include <utility>

#include <nlohmann/json.hpp>

#include "fluxhook/admission/admission.h"
#include "fluxhook/manifest/patch.h"
#include "fluxhook/manifest/reader.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::cli {
namespace {

using manifest::Node;
using Json = nlohmann::ordered_json; // keys stay in their order

/// The request as an API server words it; empty values as Go leaves them out.
std::string wrap(const Subject& subject) {
  const Node* metadata = subject.object->find("metadata");
  const auto text = [&](std::string_view key) {
    return Json(metadata == nullptr ? std::string_view() : metadata->get(key)).dump();
  };
  constexpr auto kKind = R"({"group":"jobset.x-k8s.io","version":"v1alpha2","kind":"JobSet"})";
  constexpr auto kResource = R"({"group":"jobset.x-k8s.io","version":"v1alpha2","resource":"jobsets"})";
  return std::string(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":)") +
         Json(subject.uid).dump() + R"(,"kind":)" + kKind + R"(,"resource":)" + kResource + R"(,"name":)" +
         text("name") + R"(,"namespace":)" + text("namespace") + R"(,"operation":")" +
         (subject.old == nullptr ? "CREATE" : "UPDATE") + R"(","object":)" +
         manifest::to_json(*subject.object) + R"(,"oldObject":)" +
         (subject.old == nullptr ? "null" : manifest::to_json(*subject.old)) + "}}";
}

/// Reads the answer to a review of `object`, and applies its patch.
Result<Mutation> take_answer(const std::string& answer, const Node* object, const std::string& file) {
  Mutation mutation;
  auto node = manifest::parse_json(answer, "answer");
  if (!node) return std::unexpected(node.error());
  mutation.answer = std::move(*node);
  const Node& response = manifest::find_field(mutation.answer, "response");
  const Node* const allowed = response.find("allowed");
  mutation.allowed = allowed != nullptr && allowed->text == "true";
  const auto patch = response.get("patch");
  if (!patch.empty()) mutation.patch = modp::b64_decode(std::string(patch));
  if (!mutation.allowed || object == nullptr) return mutation;
  const auto operations = manifest::parse_json(mutation.patch, "patch");
  if (!operations) return std::unexpected(operations.error());
  mutation.object = *object;
  if (auto applied = manifest::apply_patch(mutation.object, *operations); !applied)
    return fail(manifest::place(file, object->at), applied.error().text());
  return mutation;
}

} // namespace

Result<Mutation> mutate_subject(const Subject& subject, const std::string& file,
                                const flux::Defaults& defaults) {
  std::string body = wrap(subject);
  const auto answer = admission::review(body, admission::Webhook::kMutate, defaults);
  if (!answer) return fail(manifest::place(file, subject.object->at), answer.error().text());
  return take_answer(answer->body, subject.object, file);
}

Result<Mutation> mutate_review(const Node& review, const std::string& file, const flux::Defaults& defaults) {
  std::string body = manifest::to_json(review);
  const auto answer = admission::review(body, admission::Webhook::kMutate, defaults);
  if (!answer) return fail(manifest::place(file, review.at), answer.error().text());
  const auto subject = subject_of_review(review);
  return take_answer(answer->body, subject ? subject->object : nullptr, file);
}

} // namespace fluxhook::cli
