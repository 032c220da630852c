#include "fluxhook/certs/issue.h"

#include <openssl/err.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <format>

#include "certs/x509.h"
#include "fluxhook/base/ascii.h"
#include "fluxhook/base/text.h"

namespace fluxhook::certs {

namespace {

using NumberPtr = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

constexpr std::size_t kMostNameBytes = 253; // RFC 1035, as text

struct Identity {
  X509Ptr certificate;
  KeyPtr key;
};

bool set_serial(X509* certificate) {
  std::array<unsigned char, 16> serial{};
  if (RAND_bytes(serial.data(), serial.size()) != 1) return false;
  serial[0] &= 0x7fU; // positive
  const NumberPtr number(BN_bin2bn(serial.data(), serial.size(), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_time(ASN1_TIME* into, Time time) {
  return ASN1_TIME_set(into, time.time_since_epoch().count()) !=
         nullptr; // UTCTime or GeneralizedTime by year
}

/// A certificate with a new key; not signed yet. Error: OpenSSL won't.
Result<Identity> new_identity(const std::string& common_name, const Validity& validity) {
  Identity identity{X509Ptr(X509_new()), KeyPtr(EVP_EC_gen("P-256"))};
  X509* const certificate = identity.certificate.get();
  const bool made = certificate != nullptr && identity.key && set_serial(certificate) &&
                    X509_set_version(certificate, X509_VERSION_3) == 1 &&
                    set_time(X509_getm_notBefore(certificate), validity.from) &&
                    set_time(X509_getm_notAfter(certificate), validity.to) &&
                    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                               reinterpret_cast<const unsigned char*>(common_name.c_str()),
                                               -1, -1, 0) == 1 &&
                    X509_set_pubkey(certificate, identity.key.get()) == 1;
  ERR_clear_error();
  if (!made) return fail("", "OpenSSL makes no certificate named " + fluxhook::in_quotes(common_name));
  return identity;
}

bool extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_nconf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

/// What a list of alternative names may hold without being taken for something else.
bool is_host(const std::string& host) {
  const auto fits = [](char c) { return is_alphanumeric(c) || std::string_view("-._*").contains(c); };
  return is_ip(host) || (!host.empty() && host.size() <= kMostNameBytes && std::ranges::all_of(host, fits));
}

/// As OpenSSL's configuration has them; of hosts that check_hosts() takes.
std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names;
  for (const std::string& host : hosts)
    names += std::string(names.empty() ? "" : ",") + (is_ip(host) ? "IP:" : "DNS:") + host;
  return names;
}

Result<Pair> finished(const Identity& identity, bool extended, EVP_PKEY* signer) {
  const bool good = extended && X509_sign(identity.certificate.get(), signer, EVP_sha256()) != 0;
  ERR_clear_error();
  if (!good) return fail("", "OpenSSL makes no such certificate");
  return Pair{to_pem(identity.certificate.get()), to_pem(identity.key.get())};
}

} // namespace

std::string utc(Time time) { return std::format("{:%Y-%m-%dT%H:%M:%SZ}", time); }

Validity valid_from(Time now, std::chrono::seconds life) { return {now - kSkew, now + life}; }

Result<Pair> issue_authority(const std::string& common_name, const Validity& validity) {
  const auto identity = new_identity(common_name, validity);
  if (!identity) return std::unexpected(identity.error());
  X509* const root = identity->certificate.get();
  const bool extended = X509_set_issuer_name(root, X509_get_subject_name(root)) == 1 &&
                        extend(root, root, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                        extend(root, root, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                        extend(root, root, NID_subject_key_identifier, "hash");
  return finished(*identity, extended, identity->key.get());
}

Result<void> check_hosts(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return fail("", "a certificate needs a DNS name or an IP address");
  const auto bad = std::ranges::find_if_not(hosts, is_host);
  if (bad == hosts.end()) return {};
  return fail("", fluxhook::in_quotes(*bad) + " is neither a DNS name nor an IP address");
}

Result<Pair> issue_leaf(const Pair& authority, const std::vector<std::string>& hosts,
                        const Validity& validity) {
  if (auto checked = check_hosts(hosts); !checked) return std::unexpected(checked.error());
  if (auto checked = check_pair(authority); !checked)
    return fail("", "the CA can't be used: " + checked.error().text());
  const auto certificates = read_certificates(authority.certificate);
  const auto key = read_key(authority.key);
  X509* const root = certificates->front().get();
  const Time end = validity_of(root).to;
  const auto identity = new_identity("fluxhook", {validity.from, std::min(validity.to, end)});
  if (!identity) return std::unexpected(identity.error());
  X509* const leaf = identity->certificate.get();
  const bool extended = X509_set_issuer_name(leaf, X509_get_subject_name(root)) == 1 &&
                        extend(leaf, root, NID_basic_constraints, "critical,CA:FALSE") &&
                        extend(leaf, root, NID_key_usage, "critical,digitalSignature") &&
                        extend(leaf, root, NID_ext_key_usage, "serverAuth") &&
                        extend(leaf, root, NID_authority_key_identifier, "keyid") &&
                        extend(leaf, root, NID_subject_alt_name, alternative_names(hosts));
  return finished(*identity, extended, key->get());
}

} // namespace fluxhook::certs
