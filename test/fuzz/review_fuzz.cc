// Reviews, to both webhooks: the answer's form, its bounds, and what a patch does.
// Input: JSON, an AdmissionReview.
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "fluxhook/admission/admission.h"
#include "fluxhook/admission/document.h"
#include "fluxhook/flux/rules.h"
#include "fuzz.h"

namespace fluxhook::fuzz {
namespace {

using admission::Verdict;
using admission::Webhook;
using nlohmann::json;

/// A finding is told twice, in the message and in the causes: place (512 bytes), value (256 bytes, each of up
/// to ten characters when quoted) and detail (2048), each in JSON.
constexpr std::size_t kFinding = std::size_t{2} * 6 * (512 + 2560 + 2048);
constexpr std::size_t kRefusal = 8192;

json parse(std::string_view text, std::string_view what) {
  json value = json::parse(text, nullptr, false);
  require(!value.is_discarded(), what, text);
  return value;
}

json patch_of(const json& response) {
  require(response.contains("patch") && response["patchType"] == "JSONPatch", "a patch has its type",
          [&] { return response.dump(); });
  const std::string text = response["patch"];
  std::vector<unsigned char> bytes(text.size() / 4 * 3 + 1);
  const int size = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  require(size >= 0, "a patch is base64", text);
  std::string decoded(bytes.begin(), bytes.begin() + size);
  while (decoded.ends_with('\0')) // of the padding
    decoded.pop_back();
  return parse(decoded, "a patch is JSON");
}

void check_denial(const json& response) {
  const auto whole = [&] { return response.dump(); };
  require(response["allowed"] == false && !response.contains("patch"), "a denial has no patch", whole);
  const json& status = response["status"];
  const std::string message = status["message"];
  require(!message.empty() && status["code"] == 422, "a denial says why", whole);
  require(message.find_first_of("\n\r\t") == std::string::npos, "a message is one line", message);
  require(status["details"]["causes"].size() <= flux::kMaxTold + 1, "causes have their bound");
  for (const json& cause : status["details"]["causes"])
    require(!cause["message"].get<std::string>().empty(), "a cause has a message", whole);
}

/// The answer to a review that could be read; a null response when it could not.
struct Answered {
  Verdict verdict = Verdict::kAllowed;
  json response, patch = json::array();
};

Answered ask(const std::string& review, Webhook webhook) {
  std::string body = review;
  const auto answer = admission::review(body, webhook, {});
  if (!answer) {
    require(!answer.error().what.empty() && answer.error().text().size() < kRefusal,
            "a refusal is short and says why", answer.error().text());
    return {};
  }
  require(answer->body.size() < 2 * review.size() + 65536 + kFinding * flux::kMaxTold,
          "an answer has its bound");
  Answered answered{answer->verdict, parse(answer->body, "an answer is JSON in UTF-8")["response"]};
  const json& response = answered.response;
  require(response["uid"] == answer->uid && !answer->uid.empty(), "an answer has the request's uid",
          answer->body);
  if (answer->verdict == Verdict::kDenied) check_denial(response);
  else
    require(response["allowed"] == true && !response.contains("status"), "an allowed one has no status",
            answer->body);
  if (answer->verdict == Verdict::kPatched) answered.patch = patch_of(response);
  else require(!response.contains("patch"), "only a patched one has a patch", answer->body);
  return answered;
}

void check_operations(const json& object, const json& patch) {
  require(!patch.empty(), "a patch has operations");
  for (const json& operation : patch) {
    const std::string path = operation["path"];
    const bool is_add = operation["op"] == "add";
    const auto whole = [&] { return operation.dump(); };
    require(is_add || operation["op"] == "replace", "a patch adds or replaces", whole);
    const json::json_pointer place(path);
    require(!is_add || path.ends_with("/-") || !object.contains(place) || object[place].is_null() ||
                object[place] == "",
            "an add overwrites nothing but null and an empty text, which read as absent", whole);
  }
}

bool is_well_typed(const json& object) {
  const auto document = admission::JobSetDocument::parse(object.dump());
  return document && document->jobset().type_errors.empty();
}

void check_mutation(const std::string& text) {
  const Answered first = ask(text, Webhook::kMutate);
  if (first.verdict != Verdict::kPatched) return;
  json review = parse(text, "what is answered is JSON");
  json& object = review["request"]["object"];
  const bool create = review["request"]["operation"] == "CREATE";
  if (create) check_operations(object, first.patch);
  try {
    object = object.patch(first.patch);
  } catch (const json::exception& fault) {
    require(false, "a patch applies", std::string(fault.what()) + "\n" + first.patch.dump());
  }
  if (!create && !is_well_typed(review["request"]["oldObject"])) return; // no API server has stored it
  const std::string changed = review.dump();
  const Answered again = ask(changed, Webhook::kMutate);
  require(again.verdict == Verdict::kAllowed, "mutating what was mutated changes nothing",
          [&] { return changed + "\n" + again.response.dump() + "\n" + again.patch.dump(); });
  const Answered validated = ask(changed, Webhook::kValidate);
  require(validated.verdict == Verdict::kAllowed, "what was mutated passes the validating webhook",
          [&] { return changed + "\n" + validated.response.dump(); });
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook::fuzz;
  const std::string text = text_of(data, size);
  check_mutation(text);
  const Answered validated = ask(text, Webhook::kValidate);
  require(validated.verdict != Verdict::kPatched, "the validating webhook patches nothing");
  return 0;
}
