#include <modp_b64.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>

#include "encode.h"

namespace fluxhook::admission {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void text(Writer& writer, std::string_view value) {
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void member(Writer& writer, std::string_view key, std::string_view value) {
  text(writer, key);
  text(writer, value);
}

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

void write_status(Writer& writer, const Response& response) {
  writer.StartObject();
  member(writer, "status", "Failure");
  member(writer, "message", denial_message(response.findings));
  member(writer, "reason", "Invalid");
  text(writer, "details");
  writer.StartObject();
  member(writer, "name", response.name);
  member(writer, "group", "jobset.x-k8s.io");
  member(writer, "kind", "JobSet");
  text(writer, "causes");
  writer.StartArray();
  for (const auto& one : response.findings) {
    if (one.severity() != flux::Severity::kError) continue;
    writer.StartObject();
    member(writer, "reason", one.error.cause());
    member(writer, "message", printable(one.error.message()));
    member(writer, "field", printable(one.error.field));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  text(writer, "code");
  writer.Int(422);
  writer.EndObject();
}

void write_warnings(Writer& writer, std::span<const flux::Finding> findings) {
  const auto is_warning = [](const flux::Finding& one) { return one.severity() == flux::Severity::kWarning; };
  if (!std::ranges::any_of(findings, is_warning)) return;
  text(writer, "warnings");
  writer.StartArray();
  for (const auto& one : findings) {
    if (is_warning(one)) text(writer, printable(flux::rule_id(one.rule) + ": " + one.error.text()));
  }
  writer.EndArray();
}

// Straight into the answer's buffer: RapidJSON's RawValue would look at each character.
void write_patch(Writer& writer, rapidjson::StringBuffer& buffer, const std::string& patch) {
  member(writer, "patchType", "JSONPatch");
  text(writer, "patch");
  writer.RawValue("\"", 1, rapidjson::kStringType);
  const auto size = modp_b64_encode_strlen(patch.size());
  modp_b64_encode(buffer.Push(size + 1), patch.data(), patch.size()); // it ends with a NUL,
  *(buffer.Push(0) - 1) = '"';                                        // where the closing quote goes
}

} // namespace

std::string encode_review(const Response& response) {
  rapidjson::StringBuffer buffer(nullptr, 512 + response.patch.size() * 3 / 2);
  Writer writer(buffer);
  const bool denied = std::ranges::any_of(
      response.findings, [](const flux::Finding& one) { return one.severity() == flux::Severity::kError; });
  writer.StartObject();
  member(writer, "apiVersion", "admission.k8s.io/v1");
  member(writer, "kind", "AdmissionReview");
  text(writer, "response");
  writer.StartObject();
  member(writer, "uid", response.uid);
  text(writer, "allowed");
  writer.Bool(!denied);
  if (denied) {
    text(writer, "status");
    write_status(writer, response);
  } else if (!response.patch.empty()) {
    write_patch(writer, buffer, response.patch);
  }
  write_warnings(writer, response.findings);
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

} // namespace fluxhook::admission
