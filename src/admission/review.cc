#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "decode.h"
#include "encode.h"
#include "fluxhook/admission/admission.h"
#include "fluxhook/flux/plan.h"
#include "json.h"

namespace fluxhook::admission {
namespace {

const Json* member(const Json& object, const char* key) {
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string_view text_member(const Json& object, const char* key) {
  const auto* value = member(object, key);
  return value != nullptr && value->IsString() ? text_of(*value) : std::string_view{};
}

/// The parts of a request that are read.
struct Envelope {
  std::string_view uid, operation, name_space, name;
  bool is_jobset = false;
  const Json* object = nullptr;
  const Json* old = nullptr;
};

bool is_jobset(const Json& request) {
  const auto* kind = member(request, "kind");
  return kind != nullptr && kind->IsObject() && text_member(*kind, "group") == "jobset.x-k8s.io" &&
         text_member(*kind, "version") == "v1alpha2" && text_member(*kind, "kind") == "JobSet" &&
         text_member(request, "subResource").empty();
}

const Json* object_member(const Json& request, const char* key) {
  const auto* value = member(request, key);
  return value != nullptr && value->IsObject() ? value : nullptr;
}

/// Whether the request says what it asks about. One that doesn't must not be taken for one about something
/// else, which is let through (k8s.io/api/admission/v1, AdmissionRequest).
Result<void> check_question(const Json& request) {
  static constexpr std::array<std::string_view, 4> kOperations{"CREATE", "UPDATE", "DELETE", "CONNECT"};
  if (!std::ranges::contains(kOperations, text_member(request, "operation")))
    return fail("request.operation", "must be CREATE, UPDATE, DELETE or CONNECT");
  const auto* kind = object_member(request, "kind");
  if (kind == nullptr) return fail("request.kind", "must be an object");
  const auto* group = member(*kind, "group");
  if (group == nullptr || !group->IsString()) return fail("request.kind.group", "must be a text");
  for (const auto* key : {"version", "kind"}) {
    if (text_member(*kind, key).empty())
      return fail(std::string("request.kind.") + key, "must be a text that is not empty");
  }
  return {};
}

Result<Envelope> open(const Json& review) {
  if (!review.IsObject()) return fail({}, "must be an AdmissionReview object");
  if (text_member(review, "apiVersion") != "admission.k8s.io/v1")
    return fail("apiVersion", "must be admission.k8s.io/v1");
  if (text_member(review, "kind") != "AdmissionReview") return fail("kind", "must be AdmissionReview");
  const auto* request = object_member(review, "request");
  if (request == nullptr) return fail("request", "must be an object");
  Envelope envelope;
  envelope.uid = text_member(*request, "uid");
  if (envelope.uid.empty()) return fail("request.uid", "must be a text that is not empty");
  if (auto checked = check_question(*request); !checked) return std::unexpected(checked.error());
  envelope.operation = text_member(*request, "operation");
  envelope.name_space = text_member(*request, "namespace");
  envelope.name = text_member(*request, "name");
  envelope.is_jobset = is_jobset(*request);
  envelope.object = object_member(*request, "object");
  envelope.old = object_member(*request, "oldObject");
  return envelope;
}

bool is_judged(const Envelope& envelope) {
  return envelope.is_jobset && (envelope.operation == "CREATE" || envelope.operation == "UPDATE");
}

k8s::JobSet decode(const Json& object, const Envelope& envelope) {
  auto jobset = decode_jobset(object);
  if (!envelope.name_space.empty()) jobset.name_space = envelope.name_space;
  return jobset;
}

Answer allow(const Envelope& envelope) {
  Answer answer{encode_review({envelope.uid, {}, {}, {}})};
  answer.uid = envelope.uid;
  answer.operation = envelope.operation;
  answer.name = std::string(envelope.name_space) + "/" + std::string(envelope.name);
  return answer;
}

Result<Answer> judge(const Envelope& envelope, Webhook webhook, const flux::Defaults& defaults) {
  const bool update = envelope.operation == "UPDATE";
  if (envelope.object == nullptr) return fail("request.object", "must be an object");
  if (update && envelope.old == nullptr) return fail("request.oldObject", "must be an object in an UPDATE");
  const auto jobset = decode(*envelope.object, envelope);
  const auto old = update ? std::optional(decode(*envelope.old, envelope)) : std::nullopt;
  const flux::Request request{update ? flux::Operation::kUpdate : flux::Operation::kCreate, envelope.uid,
                              &jobset, old ? &*old : nullptr};
  const auto outcome =
      webhook == Webhook::kMutate ? flux::mutate(request, defaults) : flux::validate(request, defaults);
  const auto name = outcome.name.empty() ? jobset.name : std::string_view(outcome.name);
  Response response{envelope.uid, name, outcome.findings, {}};
  if (!outcome.changes.empty())
    response.patch = encode_patch(outcome.changes, *envelope.object, envelope.old);
  Answer answer{encode_review(response)};
  answer.verdict = outcome.denied()          ? Verdict::kDenied
                   : outcome.changes.empty() ? Verdict::kAllowed
                                             : Verdict::kPatched;
  answer.uid = envelope.uid;
  answer.operation = envelope.operation;
  answer.name = std::string(jobset.name_space) + "/" + std::string(name);
  return answer;
}

} // namespace

std::string_view to_string(Webhook webhook) { return webhook == Webhook::kMutate ? "mutate" : "validate"; }

std::string_view to_string(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames{"allowed", "patched", "denied"};
  return kNames.at(std::to_underlying(verdict));
}

Result<Answer> review(std::string& body, Webhook webhook, const flux::Defaults& defaults) {
  // The document of a usual review fits into this; what is larger goes on to the heap.
  alignas(std::max_align_t) std::array<char, 16384> buffer;
  rapidjson::Document::AllocatorType allocator(buffer.data(), buffer.size());
  rapidjson::Document document(&allocator, 8192);
  if (auto parsed = parse_in_place(body, Root::kReview, document); !parsed)
    return std::unexpected(parsed.error());
  const auto envelope = open(document);
  if (!envelope) return std::unexpected(envelope.error());
  return is_judged(*envelope) ? judge(*envelope, webhook, defaults) : Result<Answer>(allow(*envelope));
}

} // namespace fluxhook::admission
