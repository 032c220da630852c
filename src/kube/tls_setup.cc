#include "kube/tls_setup.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <format>

#include "fluxhook/base/text.h"
#include "kube/openssl_ptr.h"

namespace fluxhook::kube {

namespace {

using NamesPtr = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

/// The alternative names of a certificate, for a message.
std::string alternative_names(const X509* certificate) {
  const NamesPtr names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  const BioPtr bio(BIO_new(BIO_s_mem()));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    if (i != 0) BIO_puts(bio.get(), ", ");
    GENERAL_NAME_print(bio.get(), sk_GENERAL_NAME_value(names.get(), i));
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return size <= 0 ? "no name" : std::string(data, static_cast<std::size_t>(size));
}

bool is_for(X509* certificate, const std::string& host) {
  if (X509_check_ip_asc(certificate, host.c_str(), 0) == 1) return true;
  return X509_check_host(certificate, host.data(), host.size(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
                         nullptr) == 1;
}

} // namespace

Result<void> use_client_pair(SSL_CTX* context, const Pem& certificate, const Pem& key) {
  const BioPtr certificates = reader_of(certificate.text), keys = reader_of(key.text);
  const X509Ptr leaf(PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr));
  const KeyPtr read(PEM_read_bio_PrivateKey(keys.get(), nullptr, nullptr, nullptr));
  bool good = leaf && read && SSL_CTX_use_certificate(context, leaf.get()) == 1;
  while (
      const X509Ptr next{good ? PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr) : nullptr})
    good = SSL_CTX_add1_chain_cert(context, next.get()) == 1;
  good = good && SSL_CTX_use_PrivateKey(context, read.get()) == 1;
  ERR_clear_error();
  if (!good) return fail(certificate.source, "OpenSSL won't use this client certificate and key");
  return {};
}

void trust_like_go(SSL_CTX* context) {
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
}

std::string certificate_fault(SSL* session, const std::string& host, const std::string& ca_hint) {
  const X509Ptr certificate(SSL_get1_peer_certificate(session));
  if (!certificate) return "the server shows no certificate";
  const long result = SSL_get_verify_result(session);
  if (result == X509_V_ERR_CERT_HAS_EXPIRED) return "the server's certificate is expired";
  if (result != X509_V_OK)
    return std::format("the server's certificate is not trusted: {}: {}",
                       X509_verify_cert_error_string(result), ca_hint);
  if (is_for(certificate.get(), host)) return {};
  return std::format("the server's certificate is for {}, not for {}: tls-server-name can name one of them",
                     alternative_names(certificate.get()), fluxhook::in_quotes(host));
}

} // namespace fluxhook::kube
