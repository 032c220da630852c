#include "fluxhook/certs/secret.h"

#include <modp_b64.h>

#include "certs/json.h"

namespace fluxhook::certs {

namespace {

void write(json& secret, const Record& record, bool with_authority_key) {
  json& data = secret["data"];
  if (!data.is_object()) data = json::object();
  data["ca.crt"] = modp::b64_encode(record.authorities);
  if (with_authority_key) data["ca.key"] = modp::b64_encode(record.authority_key.text());
  data["tls.crt"] = modp::b64_encode(record.serving.certificate);
  data["tls.key"] = modp::b64_encode(record.serving.key.text());
}

} // namespace

Result<StoredSecret> read_secret(std::string_view text) {
  const json secret = json::parse(text, nullptr, false);
  if (text_of(secret, "kind") != "Secret") return fail("", "the answer is no Secret");
  const json& data = member(secret, "data");
  const auto value = [&](const char* key) { return modp::b64_decode(text_of(data, key)); };
  const json& annotations = member(member(secret, "metadata"), "annotations");
  // https://cert-manager.io/docs/reference/annotations/#cert-manageriocertificate-name
  const bool foreign = !text_of(annotations, "cert-manager.io/certificate-name").empty();
  return StoredSecret{
      .record = {value("ca.crt"), KeyText(value("ca.key")), {value("tls.crt"), KeyText(value("tls.key"))}},
      .manager = foreign ? "cert-manager" : "",
      .json = std::string(text)};
}

std::string new_secret(const std::string& name, const std::string& name_space, const Record& record,
                       bool with_authority_key) {
  json secret{
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"metadata",
       {{"name", name}, {"namespace", name_space}, {"labels", {{"app.kubernetes.io/name", "fluxhook"}}}}},
      {"type", "kubernetes.io/tls"}};
  write(secret, record, with_authority_key);
  return to_text(secret);
}

std::string with_record(const StoredSecret& stored, const Record& record) {
  json secret = json::parse(stored.json, nullptr, false);
  write(secret, record, true);
  return to_text(secret);
}

} // namespace fluxhook::certs
