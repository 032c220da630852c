#include "server/issue.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

namespace fluxhook::server {

namespace {

struct X509Deleter {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct KeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using X509Ptr = std::unique_ptr<X509, X509Deleter>;
using KeyPtr = std::unique_ptr<EVP_PKEY, KeyDeleter>;
using BioPtr = std::unique_ptr<BIO, BioDeleter>;

constexpr long kHour = 3600;
constexpr long kYear = kHour * 24 * 365;

struct Identity {
  X509Ptr certificate;
  KeyPtr key;
};

/// A certificate with a new key, a random serial and the times; not signed yet.
Identity new_identity(const char* common_name) {
  Identity identity{X509Ptr(X509_new()), KeyPtr(EVP_EC_gen("P-256"))};
  X509* const certificate = identity.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  std::array<unsigned char, 16> serial{};
  RAND_bytes(serial.data(), serial.size());
  serial[0] &= 0x7fU; // positive
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_bin2bn(serial.data(), serial.size(), nullptr),
                                                           BN_free);
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour); // callers' clocks differ
  X509_gmtime_adj(X509_getm_notAfter(certificate), kYear);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name), -1, -1, 0);
  X509_set_pubkey(certificate, identity.key.get());
  return identity;
}

bool extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_nconf_nid(nullptr, &context, nid, value.c_str()), X509_EXTENSION_free);
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool is_ip(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> scrap{};
  return inet_pton(AF_INET, host.c_str(), scrap.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), scrap.data()) == 1;
}

std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names;
  for (const std::string& host : hosts)
    names += (names.empty() ? "" : ",") + std::string(is_ip(host) ? "IP:" : "DNS:") + host;
  return names;
}

template <class Write>
std::string pem(Write write) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  write(bio.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem(const Identity& identity) {
  return pem([&](BIO* bio) { PEM_write_bio_X509(bio, identity.certificate.get()); });
}

} // namespace

Result<Issued> issue_certificate(const std::vector<std::string>& hosts) {
  const Identity ca = new_identity("fluxhook ephemeral CA");
  X509* const root = ca.certificate.get();
  X509_set_issuer_name(root, X509_get_subject_name(root));
  extend(root, root, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(root, root, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(root, root, NID_subject_key_identifier, "hash");
  X509_sign(root, ca.key.get(), EVP_sha256());

  const Identity leaf = new_identity("fluxhook");
  X509* const certificate = leaf.certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(root));
  extend(certificate, root, NID_basic_constraints, "critical,CA:FALSE");
  extend(certificate, root, NID_key_usage, "critical,digitalSignature");
  extend(certificate, root, NID_ext_key_usage, "serverAuth");
  extend(certificate, root, NID_authority_key_identifier, "keyid");
  if (!extend(certificate, root, NID_subject_alt_name, alternative_names(hosts))) {
    ERR_clear_error();
    return fail("", "no certificate can be made for the hosts " + alternative_names(hosts));
  }
  if (X509_sign(certificate, ca.key.get(), EVP_sha256()) == 0)
    return fail("", "the ephemeral certificate can't be signed");
  const std::string key = pem([&](BIO* bio) {
    PEM_write_bio_PrivateKey(bio, leaf.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return Issued{.ca = pem(ca), .chain = pem(leaf), .key = key};
}

} // namespace fluxhook::server
