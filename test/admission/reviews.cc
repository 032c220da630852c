#include "reviews.h"

#include <catch2/catch_test_macros.hpp>

namespace fluxhook::test {
namespace {

std::string from_base64(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6) | static_cast<unsigned>(kAlphabet.find(c));
    count += 6;
    if (count >= 8) out += static_cast<char>((bits >> (count -= 8)) & 0xff);
  }
  return out;
}

json review(std::string_view operation, const json& object, const json& old) {
  const json metadata = object.value("metadata", json());
  const json name = metadata.is_object() ? metadata.value("name", json()) : json();
  return {{"kind", "AdmissionReview"},
          {"apiVersion", "admission.k8s.io/v1"},
          {"request",
           {{"uid", "7900a454-50e1-4425-8b5c-32eb42f44bb5"},
            {"kind", {{"group", "jobset.x-k8s.io"}, {"version", "v1alpha2"}, {"kind", "JobSet"}}},
            {"name", name.is_string() ? name : json("")},
            {"namespace", "default"},
            {"operation", operation},
            {"object", object},
            {"oldObject", old},
            {"dryRun", false}}}};
}

json apply(const json& object, const json& response) {
  INFO(response.dump());
  REQUIRE(response["allowed"] == true);
  return object.patch(patch_of(response));
}

} // namespace

json jobset() {
  return json::parse(R"({
    "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
    "metadata": {"name": "js", "namespace": "default", "labels": {"flux-framework.org/inject": "true"}},
    "spec": {"replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": {
      "parallelism": 2, "completions": 2, "template": {"spec": {"containers": [
        {"name": "main", "image": "app:1", "command": ["lmp", "-in", "in.reaxff"]}]}}}}}]}})");
}

json& job_spec(json& jobset, std::size_t index) {
  return jobset["spec"]["replicatedJobs"][index]["template"]["spec"];
}
json& pod_spec(json& jobset, std::size_t index) { return job_spec(jobset, index)["template"]["spec"]; }
json& container(json& jobset, std::size_t index) { return pod_spec(jobset, index)["containers"][0]; }

json create_review(const json& object) { return review("CREATE", object, nullptr); }
json update_review(const json& object, const json& old) { return review("UPDATE", object, old); }

json answer(const json& review, admission::Webhook webhook, const flux::Defaults& defaults) {
  auto body = review.dump();
  const auto answer = admission::review(body, webhook, defaults);
  if (!answer) FAIL(answer.error().text());
  const auto document = json::parse(answer->body);
  REQUIRE(document["apiVersion"] == "admission.k8s.io/v1");
  REQUIRE(document["kind"] == "AdmissionReview");
  REQUIRE(document["response"]["uid"] == review["request"]["uid"]);
  return document["response"];
}

json patch_of(const json& response) {
  REQUIRE(response.contains("patch") == response.contains("patchType"));
  if (!response.contains("patch")) return json::array();
  REQUIRE(response["patchType"] == "JSONPatch");
  return json::parse(from_base64(response["patch"].get<std::string>()));
}

json mutated(const json& object, const flux::Defaults& defaults) {
  return apply(object, answer(create_review(object), admission::Webhook::kMutate, defaults));
}

json updated(const json& object, const json& old) {
  return apply(object, answer(update_review(object, old)));
}

json with_jobset_defaults(json object) {
  auto& spec = object["spec"];
  if (!spec.contains("successPolicy")) spec["successPolicy"] = {{"operator", "All"}};
  if (!spec.contains("startupPolicy")) spec["startupPolicy"] = {{"startupPolicyOrder", "AnyOrder"}};
  for (auto& job : spec["replicatedJobs"]) {
    if (!job.contains("groupName")) job["groupName"] = "default";
    auto& job_template = job["template"];
    if (!job_template.contains("metadata")) job_template["metadata"] = json::object();
    auto& job_spec = job_template["spec"];
    if (!job_spec.contains("completionMode")) job_spec["completionMode"] = "Indexed";
    if (!job_spec["template"].contains("metadata")) job_spec["template"]["metadata"] = json::object();
    auto& pod = job_spec["template"]["spec"];
    if (!pod.contains("restartPolicy")) pod["restartPolicy"] = "OnFailure";
    for (const auto* list : {"containers", "initContainers"}) {
      if (!pod.contains(list)) continue;
      for (auto& one : pod[list])
        if (!one.contains("resources")) one["resources"] = json::object(); // seen on an API server
    }
  }
  auto& network = spec["network"];
  if (!network.contains("enableDNSHostnames")) network["enableDNSHostnames"] = true;
  if (!network.contains("publishNotReadyAddresses")) network["publishNotReadyAddresses"] = true;
  return object;
}

std::string denial(const json& object) {
  const auto response = answer(create_review(object));
  INFO(response.dump());
  REQUIRE(response["allowed"] == false);
  REQUIRE_FALSE(response.contains("patch"));
  return response["status"]["message"];
}

} // namespace fluxhook::test
