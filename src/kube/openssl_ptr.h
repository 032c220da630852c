#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string_view>

#include "fluxhook/base/freed.h"

namespace fluxhook::kube {

using BioPtr = std::unique_ptr<BIO, Freed<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

/// Reads from `text`, which has to outlive it.
[[nodiscard]] inline BioPtr reader_of(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

} // namespace fluxhook::kube
