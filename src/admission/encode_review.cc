#include <algorithm>

#include "encode.h"
#include "fluxhook/base/text.h"
#include "fluxhook/k8s/names.h"
#include "json_text.h"

namespace fluxhook::admission {
namespace {

// The API server drops warnings that hold control characters, and a terminal should not see them either.
std::string printable_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

/// The findings of one severity that are told, and how many more there are.
struct Told {
  std::vector<const flux::Finding*> findings;
  std::size_t more = 0;

  [[nodiscard]] std::string rest() const { return "and " + std::to_string(more) + " more"; }
};

Told of(std::span<const flux::Finding> findings, flux::Severity severity) {
  Told told;
  for (const auto& one : findings) {
    if (one.severity() != severity) continue;
    if (told.findings.size() < flux::kMaxTold) told.findings.push_back(&one);
    else ++told.more;
  }
  return told;
}

/// One fault as it is; several as the API server joins them; then the rules to look up.
std::string denial_message(const Told& errors) {
  std::string faults;
  std::string ids;
  for (const auto* one : errors.findings) {
    faults.append(faults.empty() ? "" : ", ").append(one->error.text());
    const auto id = flux::rule_id(one->rule);
    if (!ids.contains(id)) ids.append(ids.empty() ? "" : ", ").append(id);
  }
  if (errors.more > 0) faults += ", " + errors.rest();
  const bool several = errors.findings.size() > 1;
  return printable_line((several ? "[" + faults + "]" : faults) + " (" + ids + ")");
}

void write_cause(JsonText& out, std::string_view reason, const std::string& message, std::string field) {
  out.raw(R"({"reason":)").text(reason);
  out.raw(R"(,"message":)").text(printable_line(message));
  out.raw(R"(,"field":)").text(printable_line(std::move(field))).raw("}");
}

void write_status(JsonText& out, const Response& response, const Told& errors) {
  out.raw(R"(,"status":{"status":"Failure","message":)").text(denial_message(errors));
  out.raw(R"(,"reason":"Invalid","details":{"name":)").text(shortened(response.name, k8s::kSubdomainLength));
  out.raw(R"(,"group":"jobset.x-k8s.io","kind":"JobSet","causes":)");
  auto causes = errors.findings;
  if (errors.more > 0) causes.push_back(nullptr);
  out.list(causes, [&](const flux::Finding* one) {
    // With its rule: kubectl shows the causes instead of the message.
    if (one == nullptr) write_cause(out, "FieldValueInvalid", errors.rest(), {});
    else
      write_cause(out, one->error.cause(), one->error.message() + " (" + flux::rule_id(one->rule) + ")",
                  one->error.place());
  });
  out.raw(R"(},"code":422})");
}

void write_warnings(JsonText& out, std::span<const flux::Finding> findings) {
  const auto warnings = of(findings, flux::Severity::kWarning).findings;
  if (warnings.empty()) return;
  out.raw(R"(,"warnings":)").list(warnings, [&](const flux::Finding* one) {
    out.text(printable_line(flux::rule_id(one->rule) + ": " + one->error.text()));
  });
}

} // namespace

std::string encode_review(const Response& response) {
  JsonText out(512 + response.patch.size() * 3 / 2);
  const Told errors = of(response.findings, flux::Severity::kError);
  const bool denied = !errors.findings.empty();
  out.raw(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":)")
      .text(response.uid);
  out.raw(denied ? R"(,"allowed":false)" : R"(,"allowed":true)");
  if (denied) write_status(out, response, errors);
  else if (!response.patch.empty()) out.raw(R"(,"patchType":"JSONPatch","patch":)").base64(response.patch);
  write_warnings(out, response.findings);
  return out.raw("}}").take();
}

} // namespace fluxhook::admission
