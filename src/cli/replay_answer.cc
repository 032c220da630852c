#include "cli/replay_answer.h"

#include <modp_b64.h>

#include <utility>

#include <nlohmann/json.hpp>

#include "fluxhook/base/text.h"

namespace fluxhook::cli {

namespace {

using SortedJson = nlohmann::json;

constexpr auto kNothing = "nothing";

std::string dump(const SortedJson& value) {
  return value.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

/// Puts the decoded patch in the place of its base64; false: it is none.
bool decode_patch(SortedJson& response) {
  SortedJson& patch = response["patch"];
  if (!patch.is_string()) return patch.is_array();
  const std::string encoded = patch.get<std::string>();
  const std::string text = modp::b64_decode(encoded);
  SortedJson decoded = SortedJson::parse(text, nullptr, false);
  if (!decoded.is_array()) return false;
  patch = std::move(decoded);
  return true;
}

/// What an API server would refuse; on the way the patch is decoded.
std::vector<Difference> faults(const Recorded& review, SortedJson& answer) {
  std::vector<Difference> found;
  const auto must_be = [&](const char* path, const SortedJson& expected) {
    const SortedJson::json_pointer pointer(path);
    const bool is_there = answer.is_object() && answer.contains(pointer);
    if (is_there && answer[pointer] == expected) return;
    found.push_back({path, dump(expected), is_there ? dump(answer[pointer]) : kNothing});
  };
  must_be("/apiVersion", "admission.k8s.io/v1");
  must_be("/kind", "AdmissionReview");
  must_be("/response/uid", review.uid);
  if (!answer.is_object() || !answer.contains("response") || !answer["response"].is_object()) return found;
  SortedJson& response = answer["response"];
  if (!response.contains("allowed") || !response["allowed"].is_boolean())
    found.push_back({"/response/allowed", "true or false",
                     response.contains("allowed") ? dump(response["allowed"]) : kNothing});
  if (!response.contains("patch")) return found;
  must_be("/response/patchType", "JSONPatch");
  if (!decode_patch(response))
    found.push_back({"/response/patch", "a JSON Patch in base64", dump(response["patch"])});
  return found;
}

Admitted verdict(const SortedJson& answer) {
  const SortedJson& response = answer["response"];
  if (!response["allowed"].get<bool>()) return Admitted::kDenied;
  return response.contains("patch") && !response["patch"].empty() ? Admitted::kPatched : Admitted::kAllowed;
}

std::string value_at(const SortedJson& answer, const SortedJson::json_pointer& path) {
  return answer.contains(path) ? dump(answer[path]) : kNothing;
}

std::vector<Difference> compare(const std::string& expected_text, const SortedJson& got) {
  SortedJson expected = SortedJson::parse(expected_text);
  if (expected["response"].is_object() && expected["response"].contains("patch"))
    decode_patch(expected["response"]);
  std::vector<Difference> found;
  for (const SortedJson& change : SortedJson::diff(expected, got)) {
    const std::string path = change["path"].get<std::string>();
    if (path.ends_with("/-")) { // a list that goes on
      found.push_back({path, kNothing, dump(change["value"])});
      continue;
    }
    const SortedJson::json_pointer pointer(path);
    const bool is_new = change["op"] == "add";
    const bool is_gone = change["op"] == "remove";
    found.push_back(
        {path, is_new ? kNothing : value_at(expected, pointer), is_gone ? kNothing : dump(change["value"])});
  }
  return found;
}

} // namespace

Checked check_answer(const Recorded& review, std::string_view answer) {
  SortedJson got = SortedJson::parse(answer, nullptr, false);
  if (got.is_discarded())
    return {Admitted::kNoAnswer, {{"", "JSON", fluxhook::in_quotes(shortened(answer, 200))}}};
  Checked checked{.differences = faults(review, got)};
  if (!checked.differences.empty()) return checked;
  checked.admitted = verdict(got);
  if (!review.expected.empty()) checked.differences = compare(review.expected, got);
  return checked;
}

} // namespace fluxhook::cli
