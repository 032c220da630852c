#include "server/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "fluxhook/base/freed.h"

namespace fluxhook::server {

namespace {

using BioPtr = std::unique_ptr<BIO, Freed<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

/// The reason of OpenSSL's last error on this thread, which is then forgotten.
std::string last_reason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string text = reason == nullptr ? "unknown error" : reason;
  ERR_clear_error();
  return text;
}

/// Every certificate of the text, in order.
Result<std::vector<X509Ptr>> read_certificates(const Pem& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
  std::vector<X509Ptr> certificates;
  while (X509* const one = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    certificates.emplace_back(one);
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!at_end || certificates.empty()) {
    ERR_clear_error();
    return fail(pem.source, at_end ? "holds no PEM certificate" : "holds a broken PEM certificate");
  }
  ERR_clear_error();
  return certificates;
}

Result<KeyPtr> read_key(const Pem& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
  // Without this OpenSSL would ask at the terminal for an encrypted key's passphrase.
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  if (!key) return fail(pem.source, "holds no unencrypted PEM private key");
  return key;
}

std::time_t to_time(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

int choose_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                    unsigned in_size, void* /*argument*/) {
  static constexpr std::array<unsigned char, 9> kHttp11{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kHttp11.data(), kHttp11.size(), in, in_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void configure(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_ciphersuites(context,
                           "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  // Answers are written as far as the socket takes them, from a buffer that may have moved; an idle
  // connection gives its buffers back; a record is read with one call instead of two.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // After records without data (a key update) reading ends with what the socket has given: a caller that
  // sends them without end would keep the thread.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
}

Result<void> use_chain(SSL_CTX* context, const std::vector<X509Ptr>& chain, const Pem& pem) {
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1)
    return fail(pem.source, "the certificate can't be used: " + last_reason());
  for (std::size_t i = 1; i < chain.size(); ++i)
    SSL_CTX_add1_chain_cert(context, chain[i].get());
  return {};
}

Result<void> trust(SSL_CTX* context, const Pem& client_ca) {
  const auto certificates = read_certificates(client_ca);
  if (!certificates) return std::unexpected(certificates.error());
  for (const X509Ptr& certificate : *certificates) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
    SSL_CTX_add_client_CA(context, certificate.get());
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return {};
}

bool has_common_name(const X509* certificate, const std::string& name) {
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  for (int i = -1; (i = X509_NAME_get_index_by_NID(subject, NID_commonName, i)) >= 0;) {
    const ASN1_STRING* const value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i));
    const std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                                static_cast<std::size_t>(ASN1_STRING_length(value)));
    if (text == name) return true;
  }
  return false;
}

bool has_dns_name(X509* certificate, const std::string& name) {
  return X509_check_host(certificate, name.data(), name.size(),
                         X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_WILDCARDS, nullptr) == 1;
}

} // namespace

Result<TlsContext> make_tls_context(const Pem& chain, const Pem& key, const Pem& client_ca) {
  const auto certificates = read_certificates(chain);
  if (!certificates) return std::unexpected(certificates.error());
  const auto private_key = read_key(key);
  if (!private_key) return std::unexpected(private_key.error());

  TlsContext context;
  context.ssl = std::shared_ptr<SSL_CTX>(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  configure(context.ssl.get());
  if (auto used = use_chain(context.ssl.get(), *certificates, chain); !used)
    return std::unexpected(used.error());
  if (SSL_CTX_use_PrivateKey(context.ssl.get(), private_key->get()) != 1 ||
      SSL_CTX_check_private_key(context.ssl.get()) != 1) {
    ERR_clear_error();
    return fail(key.source, "is not the key of the certificate in " + chain.source);
  }
  if (!client_ca.text.empty()) {
    if (auto trusted = trust(context.ssl.get(), client_ca); !trusted) return std::unexpected(trusted.error());
  }
  const X509* const leaf = certificates->front().get();
  context.not_before = to_time(X509_get0_notBefore(leaf));
  context.not_after = to_time(X509_get0_notAfter(leaf));
  return context;
}

std::string chain_of(const TlsContext& context) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), SSL_CTX_get0_certificate(context.ssl.get()));
  STACK_OF(X509)* others = nullptr;
  SSL_CTX_get0_chain_certs(context.ssl.get(), static_cast<void*>(&others));
  for (int i = 0; i < sk_X509_num(others); ++i)
    PEM_write_bio_X509(bio.get(), sk_X509_value(others, i));
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

Caller identify(const SSL* ssl, const std::vector<std::string>& names) {
  if (ssl == nullptr || SSL_get_verify_mode(ssl) == SSL_VERIFY_NONE) return Caller::kNotAsked;
  X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr || SSL_get_verify_result(ssl) != X509_V_OK) return Caller::kNobody;
  const bool known = names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
                       return has_common_name(certificate, name) || has_dns_name(certificate, name);
                     });
  return known ? Caller::kKnown : Caller::kWrongName;
}

} // namespace fluxhook::server
