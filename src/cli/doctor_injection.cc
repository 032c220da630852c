#include <array>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "cli/doctor_checks.h"
#include "fluxhook/flux/settings.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;

constexpr auto kInjection = "injection";
const kube::Resource kJobSets{"jobset.x-k8s.io", "v1alpha2", "jobsets"};

/// A name that nobody has: also a dry run may not take one that is there.
std::string unused_name() {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::random_device random;
  std::string name = "fluxhook-doctor-";
  for (int i = 0; i < 6; ++i)
    name += kAlphabet[random() % kAlphabet.size()];
  return name;
}

json jobset(const Patient& patient, bool labelled) {
  const json container{{"name", "main"}, {"image", "registry.k8s.io/pause:3.10"}, {"command", {"/pause"}}};
  const json pod{{"spec", {{"restartPolicy", "Never"}, {"containers", json::array({container})}}}};
  const json job{{"spec", {{"parallelism", 1}, {"completions", 1}, {"template", pod}}}};
  json object{
      {"apiVersion", "jobset.x-k8s.io/v1alpha2"},
      {"kind", "JobSet"},
      {"metadata", {{"name", unused_name()}, {"namespace", patient.try_in}}},
      {"spec", {{"replicatedJobs", json::array({{{"name", "node"}, {"replicas", 1}, {"template", job}}})}}}};
  if (labelled) object["metadata"]["labels"] = {{patient.label, "true"}};
  return object;
}

constexpr auto kNoPod = "no pod of the server is ready: kubectl describe pod says why";
constexpr auto kNoWay = "the control plane does not reach the pods: a firewall or a NetworkPolicy";

/// What to do about an API server's complaint. Whether the way to the pods is free can't be told while none
/// is ready.
std::string advice_for(std::string_view message, bool no_pod_ready) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> kAdvice{{
      {"x509",
       "the caBundle is not of the CA of the certificate that is served, or the certificate is for another "
       "name: docs/certificates.md"},
      {"no endpoints available", kNoPod},
      {"not found", "the Service, or the namespace, is not there"},
      {"deadline exceeded", kNoWay},
      {"timeout", kNoWay},
      {"connection refused", "the Service's port leads to no server"},
  }};
  for (const auto& [words, advice] : kAdvice)
    if (message.contains(words)) return no_pod_ready && std::string_view(advice) == kNoWay ? kNoPod : advice;
  return {};
}

kube::ApiResult<json> try_it(const Patient& patient, bool labelled) {
  const auto text = patient.client.create(kube::path_of(kJobSets, patient.try_in),
                                          jobset(patient, labelled).dump(), {.dry_run = true});
  if (!text) return std::unexpected(text.error());
  return json::parse(*text, nullptr, false);
}

Finding refused(const Patient& patient, const std::string& what, const kube::ApiError& error) {
  if (error.kind == kube::ErrorKind::kForbidden && !error.message.contains("admission webhook"))
    return {Health::kSkip, kInjection, what + ": " + error.message,
            "another --namespace, or the right to create jobsets in " + patient.try_in};
  return {Health::kFail, kInjection, what + " is refused: " + error.message,
          advice_for(error.message, patient.no_pod_ready)};
}

bool injected(const json& object) {
  const json annotations = at(object, "/metadata/annotations");
  return annotations.is_object() && annotations.contains(flux::kInjectedAnnotation);
}

} // namespace

void check_injection(const Patient& patient, Findings& findings) {
  if (!patient.jobset_there)
    return findings.push_back({Health::kSkip, kInjection, "there are no JobSets to be tried", {}});
  const std::string labelled = "a labelled JobSet in namespace " + patient.try_in;
  if (const auto object = try_it(patient, true); !object)
    findings.push_back(refused(patient, labelled, object.error()));
  else if (injected(*object))
    findings.push_back({Health::kOk,
                        kInjection,
                        labelled + " becomes a Flux cluster: the API server trusts the server",
                        {}});
  else
    findings.push_back(
        {Health::kFail, kInjection, labelled + " is stored as it is: the webhook was not called",
         "does a namespaceSelector leave this namespace out, or is failurePolicy Ignore and the server "
         "away?"});
  const std::string other = "a JobSet without the label";
  if (const auto object = try_it(patient, false); !object) {
    findings.push_back(refused(patient, other, object.error()));
  } else if (injected(*object)) {
    findings.push_back({Health::kFail, kInjection, other + " is changed",
                        "compare the objectSelector with webhook-config/"});
  } else {
    findings.push_back({Health::kOk, kInjection, other + " is left alone", {}});
  }
}

} // namespace fluxhook::cli
