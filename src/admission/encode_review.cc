#include <algorithm>

#include "encode.h"
#include "json_text.h"

namespace fluxhook::admission {
namespace {

// The API server drops warnings that hold control characters, and a terminal should not see them either.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

/// One fault as it is; several as the API server joins them; then the rules to look up.
std::string denial_message(std::span<const flux::Finding> errors) {
  std::string faults;
  std::string ids;
  for (const auto& one : errors) {
    if (one.severity() != flux::Severity::kError) continue;
    faults.append(faults.empty() ? "" : ", ").append(one.error.text());
    const auto id = flux::rule_id(one.rule);
    if (!ids.contains(id)) ids.append(ids.empty() ? "" : ", ").append(id);
  }
  const bool several = std::ranges::count(errors, flux::Severity::kError, &flux::Finding::severity) > 1;
  return printable((several ? "[" + faults + "]" : faults) + " (" + ids + ")");
}

std::vector<const flux::Finding*> of(std::span<const flux::Finding> findings, flux::Severity severity) {
  std::vector<const flux::Finding*> out;
  for (const auto& one : findings) {
    if (one.severity() == severity) out.push_back(&one);
  }
  return out;
}

void write_status(JsonText& out, const Response& response) {
  out.raw(R"(,"status":{"status":"Failure","message":)").text(denial_message(response.findings));
  out.raw(R"(,"reason":"Invalid","details":{"name":)").text(response.name);
  out.raw(R"(,"group":"jobset.x-k8s.io","kind":"JobSet","causes":)");
  out.list(of(response.findings, flux::Severity::kError), [&](const flux::Finding* one) {
    out.raw(R"({"reason":)").text(one->error.cause());
    // With its rule: kubectl shows the causes instead of the message.
    out.raw(R"(,"message":)").text(printable(one->error.message() + " (" + flux::rule_id(one->rule) + ")"));
    out.raw(R"(,"field":)").text(printable(one->error.field)).raw("}");
  });
  out.raw(R"(},"code":422})");
}

void write_warnings(JsonText& out, std::span<const flux::Finding> findings) {
  const auto warnings = of(findings, flux::Severity::kWarning);
  if (warnings.empty()) return;
  out.raw(R"(,"warnings":)").list(warnings, [&](const flux::Finding* one) {
    out.text(printable(flux::rule_id(one->rule) + ": " + one->error.text()));
  });
}

} // namespace

std::string encode_review(const Response& response) {
  JsonText out(512 + response.patch.size() * 3 / 2);
  const bool denied = !of(response.findings, flux::Severity::kError).empty();
  out.raw(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":)")
      .text(response.uid);
  out.raw(denied ? R"(,"allowed":false)" : R"(,"allowed":true)");
  if (denied) write_status(out, response);
  else if (!response.patch.empty()) out.raw(R"(,"patchType":"JSONPatch","patch":)").base64(response.patch);
  write_warnings(out, response.findings);
  return out.raw("}}").take();
}

} // namespace fluxhook::admission
