#include <algorithm>
#include <array>
#include <format>
#include <string>
#include <string_view>

#include "cli/doctor_checks.h"
#include "fluxhook/base/text.h"

namespace fluxhook::cli {

namespace {

using nlohmann::json;

constexpr auto kWebhooks = "webhooks";
constexpr std::string_view kGroup = "jobset.x-k8s.io";

struct Kind {
  const char* kind;
  const char* plural;
  const char* path; ///< that the server answers
};
constexpr std::array kKinds{
    Kind{"MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "/mutate"},
    Kind{"ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "/validate"}};

std::string path_of(const Kind& kind, const std::string& name = {}) {
  return kube::path_of({"admissionregistration.k8s.io", "v1", kind.plural}, {}, name);
}

bool lists(const json& list, std::string_view value) {
  return list.is_array() &&
         std::ranges::any_of(list, [&](const json& one) { return one == value || one == "*"; });
}

bool covers(const json& webhook, const char* operation) {
  const json rules = at(webhook, "/rules");
  return rules.is_array() && std::ranges::any_of(rules, [&](const json& rule) {
           return lists(at(rule, "/apiGroups"), kGroup) && lists(at(rule, "/resources"), "jobsets") &&
                  lists(at(rule, "/operations"), operation);
         });
}

/// Whether a selector asks for the label in any way.
bool asks_for(const json& selector, const std::string& label) {
  const json labels = at(selector, "/matchLabels"), expressions = at(selector, "/matchExpressions");
  return (labels.is_object() && labels.contains(label)) ||
         (expressions.is_array() &&
          std::ranges::any_of(expressions, [&](const json& one) { return text_at(one, "/key") == label; }));
}

void check_selector(const json& webhook, const Patient& patient, const std::string& about,
                    Findings& findings) {
  const json selector = at(webhook, "/objectSelector");
  if (asks_for(selector, patient.label)) return;
  if (selector.empty())
    findings.push_back(
        {Health::kWarn, kWebhooks, about + ": is called for each JobSet, labelled or not",
         "give it the objectSelector of webhook-config/: with failurePolicy Fail, nobody's JobSets "
         "get through while the server is away"});
  else
    findings.push_back(
        {Health::kFail, kWebhooks,
         std::format("{}: its objectSelector does not ask for the label {}", about, patient.label),
         "the selector and the server's --label must name the same key"});
}

void check_webhook(const json& webhook, const Kind& kind, Patient& patient, const std::string& about,
                   Findings& findings) {
  const auto fail = [&](const std::string& what, const std::string& advice) {
    findings.push_back({Health::kFail, kWebhooks, about + ": " + what, advice});
  };
  for (const char* operation : {"CREATE", "UPDATE"})
    if (!covers(webhook, operation))
      fail(std::string("has no rule for ") + operation + " of jobsets", "compare it with webhook-config/");
  check_selector(webhook, patient, about, findings);
  if (text_at(webhook, "/failurePolicy") == "Ignore")
    findings.push_back(
        {Health::kWarn, kWebhooks,
         about + ": failurePolicy is Ignore: while the server is away, labelled JobSets are created "
                 "without Flux",
         "set it to Fail"});
  const json service = at(webhook, "/clientConfig/service");
  if (!service.is_object()) return; // a URL is some developer's
  patient.name_space = text_at(service, "/namespace");
  if (text_at(service, "/path") != kind.path)
    fail("calls the path " + fluxhook::in_quotes(text_at(service, "/path")),
         std::string("it must be ") + kind.path);
  if (text_at(webhook, "/clientConfig/caBundle").empty())
    fail("has no caBundle: the API server does not trust the server",
         "the server fills it in (--tls-self-managed), or cert-manager, or fluxhook certs ca-bundle --patch");
}

void check_configuration(const Kind& kind, Patient& patient, Findings& findings) {
  const std::string about = std::string(kind.kind) + " " + patient.name;
  const auto text = patient.client.get(path_of(kind, patient.name));
  if (!text && text.error().kind == kube::ErrorKind::kNotFound)
    return findings.push_back(
        {Health::kFail, kWebhooks, about + " is not there", "docs/install.md, or another --name"});
  if (!text) return findings.push_back(unreadable(kWebhooks, about, text.error()));
  const json webhooks = at(json::parse(*text, nullptr, false), "/webhooks");
  if (!webhooks.is_array() || webhooks.empty())
    return findings.push_back(
        {Health::kFail, kWebhooks, about + " has no webhook", "compare it with webhook-config/"});
  const std::size_t before = findings.size();
  for (const json& webhook : webhooks)
    check_webhook(webhook, kind, patient, about, findings);
  if (findings.size() == before) findings.push_back({Health::kOk, kWebhooks, about, {}});
}

/// Mutating webhooks are called by their configurations' names (k8s.io/apiserver,
/// pkg/admission/configuration).
void check_order(const Patient& patient, Findings& findings) {
  const auto text = patient.client.get(path_of(kKinds[0]));
  if (!text) return findings.push_back(unreadable("order", "the list of mutating webhooks", text.error()));
  std::string earlier;
  const json list = json::parse(*text, nullptr, false);
  for (const json& item : at(list, "/items")) {
    const std::string name = text_at(item, "/metadata/name");
    const json webhooks = at(item, "/webhooks");
    const bool jobsets = webhooks.is_array() && std::ranges::any_of(webhooks, [](const json& webhook) {
                           const json rules = at(webhook, "/rules");
                           return rules.is_array() && std::ranges::any_of(rules, [](const json& rule) {
                                    const json groups = at(rule, "/apiGroups");
                                    return groups.is_array() && std::ranges::contains(groups, json(kGroup));
                                  });
                         });
    if (jobsets && name < patient.name) earlier += (earlier.empty() ? "" : ", ") + name;
  }
  if (earlier.empty())
    findings.push_back({Health::kOk, "order", patient.name + " is the first to see a JobSet", {}});
  else
    findings.push_back(
        {Health::kWarn, "order", earlier + " sees a JobSet before " + patient.name,
         "the first by name is called first: JobSet's and Kueue's defaults should see the injected "
         "JobSet"});
}

} // namespace

json at(const json& object, const char* pointer) {
  const json::json_pointer path(pointer);
  return object.contains(path) ? object.at(path) : json();
}

std::string text_at(const json& object, const char* pointer) {
  const json value = at(object, pointer);
  return value.is_string() ? value.get<std::string>() : std::string();
}

Finding unreadable(const std::string& check, const std::string& what, const kube::ApiError& error) {
  const bool rights =
      error.kind == kube::ErrorKind::kForbidden || error.kind == kube::ErrorKind::kUnauthorized;
  if (rights) return {Health::kSkip, check, what + " may not be read by this user", {}};
  return {Health::kFail, check, what + " can't be read: " + error.message, {}};
}

Finding unknown_place(const std::string& check) {
  return {Health::kSkip, check, "no webhook configuration says which namespace the server is in", {}};
}

void check_configurations(Patient& patient, Findings& findings) {
  for (const Kind& kind : kKinds)
    check_configuration(kind, patient, findings);
  check_order(patient, findings);
  if (!patient.name_space.empty())
    patient.deployed = read_deployed(patient.client, patient.name_space, patient.name);
}

} // namespace fluxhook::cli
