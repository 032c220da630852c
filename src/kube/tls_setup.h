#pragma once

#include <openssl/ssl.h>

#include <string>

#include "fluxhook/base/result.h"
#include "fluxhook/kube/config.h"

namespace fluxhook::kube {

/// Gives the context a client certificate with its chain, and the key. Error: OpenSSL won't have them.
[[nodiscard]] Result<void> use_client_pair(SSL_CTX* context, const Pem& certificate, const Pem& key);

/// Lets each certificate of the CA file vouch for others, also one that is no root, as Go does.
void trust_like_go(SSL_CTX* context);

/// What is wrong with the certificate that a server showed: not trusted, expired, for another name
/// (alternative names count, the common name does not, as in Go). "": nothing. `ca_hint` says where to look
/// when it is not trusted.
[[nodiscard]] std::string certificate_fault(SSL* session, const std::string& host,
                                            const std::string& ca_hint);

} // namespace fluxhook::kube
