#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <vector>

#include "fluxhook/base/freed.h"
#include "fluxhook/certs/issue.h"

namespace fluxhook::certs {

using BioPtr = std::unique_ptr<BIO, Freed<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

/// Every certificate of the text, in order; at least one. Error: one is broken, or there is none.
[[nodiscard]] Result<std::vector<X509Ptr>> read_certificates(const std::string& pem);
/// Error: no private key, or an encrypted one.
[[nodiscard]] Result<KeyPtr> read_key(const KeyText& pem);

[[nodiscard]] std::string to_pem(X509* certificate);
[[nodiscard]] KeyText to_pem(EVP_PKEY* key);

[[nodiscard]] Validity validity_of(const X509* certificate);
[[nodiscard]] bool is_ip(const std::string& host);

} // namespace fluxhook::certs
