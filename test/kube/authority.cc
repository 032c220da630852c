#include "kube/authority.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdexcept>

#include "kube/openssl_ptr.h"

namespace fluxhook::kube::test {

namespace {

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_nconf_nid(nullptr, &context, nid, value.c_str());
  if (extension == nullptr) throw std::runtime_error("no such extension: " + value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509Ptr make(EVP_PKEY* key, const std::string& common_name, Days days) {
  static int serial = 0;
  X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_time_adj_ex(X509_getm_notBefore(certificate.get()), days.from, 0, nullptr);
  X509_time_adj_ex(X509_getm_notAfter(certificate.get()), days.to, 0, nullptr);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

template <class Write>
std::string pem(Write write) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  write(bio.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

} // namespace

struct Authority::Impl {
  KeyPtr key{EVP_EC_gen("P-256")};
  X509Ptr certificate;
};

Authority::Authority(const std::string& name) : impl_(std::make_unique<Impl>()) {
  impl_->certificate = make(impl_->key.get(), name, {});
  X509* const root = impl_->certificate.get();
  X509_set_issuer_name(root, X509_get_subject_name(root));
  extend(root, root, NID_basic_constraints, "critical,CA:TRUE");
  extend(root, root, NID_subject_key_identifier, "hash");
  X509_sign(root, impl_->key.get(), EVP_sha256());
}

Authority::~Authority() = default;

std::string Authority::certificate() const {
  return pem([&](BIO* bio) { PEM_write_bio_X509(bio, impl_->certificate.get()); });
}

Pair Authority::issue(const std::string& common_name, const std::string& names, Days days) const {
  const KeyPtr key{EVP_EC_gen("P-256")};
  const X509Ptr leaf = make(key.get(), common_name, days);
  X509* const root = impl_->certificate.get();
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(root));
  extend(leaf.get(), root, NID_ext_key_usage, names.empty() ? "clientAuth" : "serverAuth");
  extend(leaf.get(), root, NID_authority_key_identifier, "keyid");
  if (!names.empty()) extend(leaf.get(), root, NID_subject_alt_name, names);
  X509_sign(leaf.get(), impl_->key.get(), EVP_sha256());
  return {pem([&](BIO* bio) { PEM_write_bio_X509(bio, leaf.get()); }), pem([&](BIO* bio) {
            PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

} // namespace fluxhook::kube::test
