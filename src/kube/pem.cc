#include "kube/pem.h"

#include <modp_b64.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <format>

#include "kube/openssl_ptr.h"

namespace fluxhook::kube {

namespace {

using std::chrono::system_clock;

/// PEM's password callback: there is none to ask.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

std::string utc(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unreadable date";
  return std::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min);
}

Result<void> check_dates(const X509* certificate, const std::string& source, system_clock::time_point now) {
  std::time_t at = system_clock::to_time_t(now);
  if (X509_cmp_time(X509_get0_notAfter(certificate), &at) < 0)
    return fail(source, "the client certificate expired on " + utc(X509_get0_notAfter(certificate)) +
                            ": a new one is needed");
  if (X509_cmp_time(X509_get0_notBefore(certificate), &at) > 0)
    return fail(source,
                "the client certificate is not valid before " + utc(X509_get0_notBefore(certificate)));
  return {};
}

Result<KeyPtr> read_key(const Pem& key) {
  bool encrypted = false;
  const BioPtr bio = reader_of(key.text);
  KeyPtr read(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, &encrypted));
  ERR_clear_error();
  if (read) return read;
  return fail(key.source, encrypted ? "the key is encrypted: an unencrypted PEM key is needed"
                                    : "holds no private key in PEM that can be read");
}

} // namespace

Result<std::string> decode_base64(std::string text, const std::string& source) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  std::string bytes(modp_b64_decode_len(text.size()), '\0');
  const std::size_t size = modp_b64_decode(bytes.data(), text.data(), text.size());
  if (text.empty() || size == static_cast<std::size_t>(-1)) return fail(source, "is not base64");
  bytes.resize(size);
  return bytes;
}

Result<void> check_ca(const Pem& ca) {
  const BioPtr bio = reader_of(ca.text);
  std::size_t count = 0;
  while (const X509Ptr certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)})
    ++count;
  const unsigned long fault = ERR_peek_last_error();
  ERR_clear_error();
  // The end of the text is an error too.
  if (ERR_GET_LIB(fault) != ERR_LIB_PEM || ERR_GET_REASON(fault) != PEM_R_NO_START_LINE)
    return fail(ca.source, std::format("certificate {} in it is broken", count + 1));
  if (count == 0) return fail(ca.source, "holds no certificate in PEM (-----BEGIN CERTIFICATE-----)");
  return {};
}

Result<void> check_client_pair(const Pem& certificate, const Pem& key, system_clock::time_point now) {
  const BioPtr bio = reader_of(certificate.text);
  const X509Ptr leaf(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!leaf) return fail(certificate.source, "holds no certificate in PEM (-----BEGIN CERTIFICATE-----)");
  const auto read = read_key(key);
  if (!read) return std::unexpected(read.error());
  const bool match = X509_check_private_key(leaf.get(), read->get()) == 1;
  ERR_clear_error();
  if (!match) return fail(key.source, "the key does not belong to the certificate of " + certificate.source);
  return check_dates(leaf.get(), certificate.source, now);
}

} // namespace fluxhook::kube
