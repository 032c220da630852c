#include <chrono>
#include <cstddef>
#include <format>
#include <string>

#include "cli/doctor_checks.h"
#include "fluxhook/certs/ca_bundle.h"
#include "fluxhook/certs/secret.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;

constexpr std::chrono::days kSoon{14}; ///< a self-managed certificate is renewed four months before its end

/// What has to be said of a certificate that callers are to trust.
Finding judge(const Patient& patient, const certs::Record& record) {
  const auto described = certs::describe(record.serving.certificate);
  const std::string about = "the certificate in Secret " + patient.name + "-tls";
  if (!described)
    return {Health::kFail, "certificate", about + ": " + described.error().what,
            "the server's log says why it stays so"};
  const auto now = certs::wall_clock();
  const std::string end = std::format("{:%Y-%m-%d}", described->validity.to);
  if (described->validity.to < now)
    return {Health::kFail, "certificate", about + " expired on " + end, "is the server running?"};
  for (const certs::WebhookKind kind : certs::kBothKinds) {
    const auto read = certs::read_configuration(patient.client, kind, patient.name);
    if (read && !certs::vouches_for(*read, record.serving.certificate))
      return {Health::kFail, "certificate", certs::call_it(kind, patient.name) + " does not trust " + about,
              "the server puts that right within a minute: its log says why it can't"};
  }
  if (described->validity.to - now < kSoon)
    return {Health::kWarn, "certificate", about + " ends on " + end,
            "it should have been renewed: see the server's log"};
  return {Health::kOk, "certificate", about + " is trusted, until " + end, {}};
}

/// The finding where there is no Secret of a certificate.
Finding without_secret(const Patient& patient, const std::string& name) {
  const std::string none = "there is no Secret " + name;
  if (!patient.deployed.known)
    return {Health::kSkip, "certificate", none + ", where a self-managed certificate would be", {}};
  return {Health::kWarn, "certificate",
          "Secret " + name + " is missing: the servers make it again within a minute",
          "if it stays so, the servers' logs say why"};
}

} // namespace

void check_jobset(Patient& patient, Findings& findings) {
  const auto text = patient.client.get("/apis/jobset.x-k8s.io/v1alpha2");
  patient.jobset_there = text.has_value();
  if (text) return findings.push_back({Health::kOk, "jobset", "jobset.x-k8s.io/v1alpha2 is there", {}});
  const bool absent = text.error().code == 404;
  if (!absent) return findings.push_back(unreadable("jobset", "jobset.x-k8s.io/v1alpha2", text.error()));
  findings.push_back({Health::kFail, "jobset", "JobSet is not installed in this cluster, or too old",
                      "https://jobset.sigs.k8s.io/docs/installation"});
}

void check_certificate(const Patient& patient, Findings& findings) {
  if (patient.name_space.empty()) return findings.push_back(unknown_place("certificate"));
  if (patient.deployed.known && !patient.deployed.self_managed)
    return findings.push_back({Health::kSkip,
                               "certificate",
                               "it is not self-managed: the servers say whether callers trust it",
                               {}});
  const std::string name = patient.name + "-tls";
  const auto text = patient.client.get(kube::path_of({"", "v1", "secrets"}, patient.name_space, name));
  if (!text && text.error().kind == kube::ErrorKind::kNotFound)
    return findings.push_back(without_secret(patient, name));
  if (!text) return findings.push_back(unreadable("certificate", "Secret " + name, text.error()));
  const auto secret = certs::read_secret(*text);
  if (!secret) return findings.push_back({Health::kFail, "certificate", secret.error().what, {}});
  findings.push_back(judge(patient, secret->record));
}

void check_pods(Patient& patient, Findings& findings) {
  if (patient.name_space.empty()) return findings.push_back(unknown_place("pods"));
  std::size_t ready = 0;
  const kube::ListSink sink{.item =
                                [&](const kube::Item& item) {
                                  for (const json& one :
                                       at(json::parse(item.json, nullptr, false), "/endpoints"))
                                    ready += at(one, "/conditions/ready") == true ? 1U : 0U;
                                },
                            .restart = [&] { ready = 0; }};
  const auto listed = patient.client.list(
      kube::path_of({"discovery.k8s.io", "v1", "endpointslices"}, patient.name_space),
      {.label_selector = "kubernetes.io/service-name=" + patient.name, .field_selector = {}}, sink);
  const std::string about = "Service " + patient.name_space + "/" + patient.name;
  if (!listed) return findings.push_back(unreadable("pods", "the endpoints of " + about, listed.error()));
  patient.no_pod_ready = ready == 0;
  if (ready == 0)
    findings.push_back({Health::kFail, "pods", about + " has no pod that is ready",
                        "kubectl --namespace " + patient.name_space +
                            " describe pod; the server's log says why it is not "
                            "ready"});
  else findings.push_back({Health::kOk, "pods", std::format("{} has {} ready", about, ready), {}});
  check_rollout(patient, findings);
}

} // namespace fluxhook::cli
