#include <algorithm>
#include <chrono>
#include <cstddef>
#include <format>
#include <string>
#include <vector>

#include "cli/doctor_checks.h"
#include "fluxhook/certs/ca_bundle.h"
#include "fluxhook/certs/secret.h"
#include "fluxhook/kube/time.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;
using std::chrono::system_clock;

constexpr std::chrono::days kSoon{14}; ///< a self-managed certificate is renewed four months before its end
constexpr std::chrono::minutes kClocksDiffer{1};

Finding unknown_place(const std::string& check) {
  return {Health::kSkip, check, "no webhook configuration says which namespace the server is in", {}};
}

/// What has to be said of a certificate that callers are to trust.
Finding judge(const Patient& patient, const certs::Record& record) {
  const auto described = certs::describe(record.serving.certificate);
  const std::string about = "the certificate in Secret " + patient.name + "-tls";
  if (!described)
    return {Health::kFail, "certificate", about + ": " + described.error().what,
            "the server's log says why it stays so"};
  const auto now = std::chrono::floor<std::chrono::seconds>(system_clock::now());
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

struct Right {
  const char* verb;
  const char* group;
  const char* resource;
  std::string name = {};
  bool own = false; ///< in the server's namespace
};

std::vector<Right> rights(const std::string& name) {
  return {{"list", "jobset.x-k8s.io", "jobsets"},
          {"watch", "jobset.x-k8s.io", "jobsets"},
          {"create", "", "configmaps"},
          {"list", "", "configmaps"},
          {"create", "", "secrets"},
          {"create", "events.k8s.io", "events"},
          {"create", "coordination.k8s.io", "leases", "", true},
          {"update", "coordination.k8s.io", "leases", name, true},
          {"get", "", "secrets", name + "-tls", true},
          {"update", "", "secrets", name + "-tls", true},
          {"patch", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", name},
          {"patch", "admissionregistration.k8s.io", "validatingwebhookconfigurations", name}};
}

/// Whether a ServiceAccount has a right; an error where that may not be asked.
kube::ApiResult<bool> may(const Patient& patient, const Right& right) {
  json attributes{{"verb", right.verb}, {"group", right.group}, {"resource", right.resource}};
  if (!right.name.empty()) attributes["name"] = right.name;
  if (right.own) attributes["namespace"] = patient.name_space;
  const json question{
      {"apiVersion", "authorization.k8s.io/v1"},
      {"kind", "SubjectAccessReview"},
      {"spec",
       {{"user", "system:serviceaccount:" + patient.name_space + ":" + patient.name},
        {"groups",
         {"system:serviceaccounts", "system:serviceaccounts:" + patient.name_space, "system:authenticated"}},
        {"resourceAttributes", attributes}}}};
  const auto text = patient.client.create(
      kube::path_of({"authorization.k8s.io", "v1", "subjectaccessreviews"}), question.dump());
  if (!text) return std::unexpected(text.error());
  return at(json::parse(*text, nullptr, false), "/status/allowed") == true;
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
  const std::string name = patient.name + "-tls";
  const auto text = patient.client.get(kube::path_of({"", "v1", "secrets"}, patient.name_space, name));
  if (!text && text.error().kind == kube::ErrorKind::kNotFound)
    return findings.push_back(
        {Health::kSkip, "certificate", "there is no Secret " + name + ": it is not self-managed", {}});
  if (!text) return findings.push_back(unreadable("certificate", "Secret " + name, text.error()));
  const auto secret = certs::read_secret(*text);
  if (!secret) return findings.push_back({Health::kFail, "certificate", secret.error().what, {}});
  findings.push_back(judge(patient, secret->record));
}

void check_pods(const Patient& patient, Findings& findings) {
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
  if (ready == 0)
    findings.push_back({Health::kFail, "pods", about + " has no pod that is ready",
                        "kubectl --namespace " + patient.name_space +
                            " describe pod; the server's log says why it is not "
                            "ready"});
  else findings.push_back({Health::kOk, "pods", std::format("{} has {} ready", about, ready), {}});
}

void check_lease(const Patient& patient, Findings& findings) {
  if (patient.name_space.empty()) return findings.push_back(unknown_place("controller"));
  const auto text = patient.client.get(
      kube::path_of({"coordination.k8s.io", "v1", "leases"}, patient.name_space, patient.name));
  const std::string about = "Lease " + patient.name_space + "/" + patient.name;
  if (!text && text.error().kind == kube::ErrorKind::kNotFound)
    return findings.push_back(
        {Health::kWarn, "controller", about + " is not there: no controller has ever run",
         "without one (--controller off) nobody creates a JobSet's ConfigMap and Secret"});
  if (!text) return findings.push_back(unreadable("controller", about, text.error()));
  const json lease = json::parse(*text, nullptr, false);
  const auto renewed = kube::parse_time(text_at(lease, "/spec/renewTime"));
  const json duration = at(lease, "/spec/leaseDurationSeconds");
  const std::string holder = text_at(lease, "/spec/holderIdentity");
  const auto fresh_for =
      std::chrono::seconds(duration.is_number_integer() ? duration.get<int>() : 0) + kClocksDiffer;
  if (holder.empty() || !renewed || system_clock::now() - *renewed > fresh_for)
    return findings.push_back({Health::kFail, "controller", about + " is not renewed by anybody",
                               "nobody creates a JobSet's ConfigMap and Secret: see the servers' logs"});
  findings.push_back({Health::kOk, "controller", holder + " leads", {}});
}

void check_rights(const Patient& patient, Findings& findings) {
  if (patient.name_space.empty()) return findings.push_back(unknown_place("rights"));
  const std::string account = "ServiceAccount " + patient.name_space + "/" + patient.name;
  std::string missing;
  for (const Right& right : rights(patient.name)) {
    const auto has = may(patient, right);
    if (!has) return findings.push_back(unreadable("rights", "what " + account + " may do", has.error()));
    if (!*has)
      missing += std::format("{}{} {}{}{}", missing.empty() ? "" : ", ", right.verb, right.resource,
                             right.name.empty() ? "" : "/", right.name);
  }
  if (missing.empty())
    findings.push_back({Health::kOk, "rights", account + " may do all that is needed", {}});
  else
    findings.push_back(
        {Health::kWarn, "rights", account + " may not " + missing,
         "jobsets, configmaps, secrets, events and leases are for the controller, the rest for "
         "--tls-self-managed: compare with webhook-config/base/rbac.yaml"});
}

} // namespace fluxhook::cli
