#include <algorithm>
#include <cstdint>
#include <format>
#include <string>

#include "cli/doctor_checks.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;

std::int64_t number_at(const json& object, const char* pointer, std::int64_t otherwise) {
  const json value = at(object, pointer);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

/// What a rollout waits for; empty: it is over. The rules of `kubectl rollout status`
/// (k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go), and that all pods are ready: beside an old pod
/// that serves, a new one that never starts shows only in the sum of both.
std::string unfinished(const json& deployment) {
  const auto count = [&](const char* pointer) { return number_at(deployment, pointer, 0); };
  if (count("/status/observedGeneration") < count("/metadata/generation"))
    return "its last change has not been acted on yet";
  const std::int64_t wanted = number_at(deployment, "/spec/replicas", 1); // the API's default
  const std::int64_t updated = count("/status/updatedReplicas"), ready = count("/status/readyReplicas");
  const std::int64_t old = std::max<std::int64_t>(0, count("/status/replicas") - updated);
  if (updated >= wanted && ready >= wanted && old == 0 && count("/status/availableReplicas") >= updated)
    return {};
  return std::format("its rollout is not finished: {} wanted, {} of the newest template, {} of an older one, "
                     "{} ready",
                     wanted, updated, old, ready);
}

std::string reason_with_message(const json& state) {
  const std::string reason = text_at(state, "/reason"), message = text_at(state, "/message");
  return message.empty() ? reason : reason + ": " + message;
}

/// What keeps a pod, by its status; empty: it doesn't say.
std::string reason_of(const json& pod) {
  for (const char* list : {"/status/initContainerStatuses", "/status/containerStatuses"})
    for (const json& status : at(pod, list))
      if (const json waiting = at(status, "/state/waiting"); waiting.is_object())
        return reason_with_message(waiting);
  for (const json& condition : at(pod, "/status/conditions"))
    if (text_at(condition, "/type") == "PodScheduled" && text_at(condition, "/status") == "False")
      return reason_with_message(condition);
  return {};
}

/// The pods that are kept by something, with it; empty also where pods may not be listed.
std::string waiting_pods(const Patient& patient) {
  std::string selector, waiting;
  const json labels = at(patient.deployed.object, "/spec/selector/matchLabels");
  for (const auto& [key, value] : labels.items())
    if (value.is_string()) selector += (selector.empty() ? "" : ",") + key + "=" + value.get<std::string>();
  if (selector.empty()) return {}; // all pods of the namespace would be others' too
  const auto look_at = [&](const kube::Item& item) {
    const std::string reason = reason_of(json::parse(item.json, nullptr, false));
    if (!reason.empty()) waiting += "; pod " + item.meta.name + ": " + reason;
  };
  const auto listed = patient.client.list(kube::path_of({"", "v1", "pods"}, patient.name_space),
                                          {.label_selector = selector, .field_selector = {}},
                                          {.item = look_at, .restart = [&] { waiting.clear(); }});
  return listed ? waiting : std::string();
}

} // namespace

void check_rollout(const Patient& patient, Findings& findings) {
  if (!patient.deployed.object.is_object()) return;
  const std::string what = unfinished(patient.deployed.object);
  if (what.empty()) return;
  findings.push_back(
      {Health::kWarn, "pods",
       "Deployment " + patient.name_space + "/" + patient.name + ": " + what + waiting_pods(patient),
       "kubectl --namespace " + patient.name_space +
           " get pods, then describe and logs of the one that is not ready"});
}

} // namespace fluxhook::cli
