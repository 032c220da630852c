#include <algorithm>
#include <format>
#include <iterator>
#include <string>
#include <vector>

#include "cli/doctor_checks.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;

struct Right {
  const char* verb;
  const char* group;
  const char* resource;
  std::string name = {};
  bool own = false; ///< in the server's namespace
};
using Rights = std::vector<Right>;

constexpr auto kHooks = "admissionregistration.k8s.io";

Rights rights_of_controller(const std::string& name) {
  constexpr auto kLeases = "coordination.k8s.io";
  return {{"get", "jobset.x-k8s.io", "jobsets"},
          {"list", "jobset.x-k8s.io", "jobsets"},
          {"watch", "jobset.x-k8s.io", "jobsets"},
          {"create", "", "configmaps"},
          {"list", "", "configmaps"},
          {"watch", "", "configmaps"},
          {"delete", "", "configmaps"},
          {"create", "", "secrets"},
          {"create", "events.k8s.io", "events"},
          {"create", kLeases, "leases", "", true},
          {"get", kLeases, "leases", name, true},
          {"update", kLeases, "leases", name, true}};
}

Rights rights_of_any_certificate(const std::string& name) {
  return {{"get", kHooks, "mutatingwebhookconfigurations", name},
          {"get", kHooks, "validatingwebhookconfigurations", name}};
}

Rights rights_of_own_certificate(const std::string& name) {
  return {{"create", "", "secrets", "", true},
          {"get", "", "secrets", name + "-tls", true},
          {"update", "", "secrets", name + "-tls", true},
          {"patch", kHooks, "mutatingwebhookconfigurations", name},
          {"patch", kHooks, "validatingwebhookconfigurations", name}};
}

/// What the server's arguments need, as docs/reference.md has it; where they are not known, what any might.
Rights needed_rights(const Patient& patient) {
  const Deployed& deployed = patient.deployed;
  Rights rights;
  const auto add = [&](Rights more) { std::ranges::move(more, std::back_inserter(rights)); };
  if (!deployed.known || deployed.controller) add(rights_of_controller(patient.name));
  if (!deployed.key_secret.empty()) rights.push_back({"get", "", "secrets", deployed.key_secret, true});
  if (!deployed.known || deployed.self_managed || deployed.controller)
    add(rights_of_any_certificate(patient.name));
  if (!deployed.known || deployed.self_managed) add(rights_of_own_certificate(patient.name));
  return rights;
}

/// Whether a ServiceAccount has a right; an error where that may not be asked.
kube::ApiResult<bool> may(const Patient& patient, const std::string& account, const Right& right) {
  json attributes{{"verb", right.verb}, {"group", right.group}, {"resource", right.resource}};
  if (!right.name.empty()) attributes["name"] = right.name;
  if (right.own) attributes["namespace"] = patient.name_space;
  const json question{
      {"apiVersion", "authorization.k8s.io/v1"},
      {"kind", "SubjectAccessReview"},
      {"spec",
       {{"user", "system:serviceaccount:" + patient.name_space + ":" + account},
        {"groups",
         {"system:serviceaccounts", "system:serviceaccounts:" + patient.name_space, "system:authenticated"}},
        {"resourceAttributes", attributes}}}};
  const auto text = patient.client.create(
      kube::path_of({"authorization.k8s.io", "v1", "subjectaccessreviews"}), question.dump());
  if (!text) return std::unexpected(text.error());
  return at(json::parse(*text, nullptr, false), "/status/allowed") == true;
}

Finding lacking(const Patient& patient, const std::string& what) {
  if (patient.deployed.known)
    return {
        Health::kFail, "rights", what,
        "its arguments need that: apply the RBAC of the chart (helm upgrade) or of webhook-config/ again"};
  return {Health::kWarn, "rights", what,
          "jobsets, configmaps, secrets, events and leases are for the controller, the rest for "
          "--tls-self-managed: compare with webhook-config/base/rbac.yaml"};
}

} // namespace

void check_rights(const Patient& patient, Findings& findings) {
  if (patient.name_space.empty()) return findings.push_back(unknown_place("rights"));
  const std::string& name = patient.deployed.account;
  const std::string account = "ServiceAccount " + patient.name_space + "/" + name;
  std::string missing;
  for (const Right& right : needed_rights(patient)) {
    const auto has = may(patient, name, right);
    if (!has) return findings.push_back(unreadable("rights", "what " + account + " may do", has.error()));
    if (!*has)
      missing += std::format("{}{} {}{}{}", missing.empty() ? "" : ", ", right.verb, right.resource,
                             right.name.empty() ? "" : "/", right.name);
  }
  if (missing.empty())
    findings.push_back({Health::kOk, "rights", account + " may do all that is needed", {}});
  else findings.push_back(lacking(patient, account + " may not " + missing));
}

} // namespace fluxhook::cli
