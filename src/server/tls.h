#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "fluxhook/base/result.h"

namespace fluxhook::server {

/// PEM text and where it came from, for messages: a file's name.
struct Pem {
  std::string text;
  std::string source;
};

/// What a server proves itself with and whom it trusts, ready for connections.
struct TlsContext {
  std::shared_ptr<SSL_CTX> ssl;
  std::time_t not_before = 0; ///< of the leaf
  std::time_t not_after = 0;

  [[nodiscard]] bool valid_at(std::time_t now) const { return not_before <= now && now <= not_after; }
};

/// TLS 1.2 and 1.3 with AEAD suites and forward secrecy, no renegotiation, no resumption (API servers don't
/// resume, and what is not kept needs no memory). `client_ca` empty: callers are not asked for certificates;
/// else one that a caller shows must be vouched for by it. Error: no certificate or key in the text, a broken
/// one, or two that don't belong together.
[[nodiscard]] Result<TlsContext> make_tls_context(const Pem& chain, const Pem& key, const Pem& client_ca);

/// The certificates that are shown to callers, PEM, the leaf first.
[[nodiscard]] std::string chain_of(const TlsContext& context);

/// What a connection's certificate says of its caller.
enum class Caller : std::uint8_t {
  kNotAsked,  ///< plain, or there is no client CA
  kNobody,    ///< showed no certificate
  kWrongName, ///< has a good certificate, but for another name
  kKnown,
};

/// `names` empty: any name will do. To be asked once the handshake is over.
[[nodiscard]] Caller identify(const SSL* ssl, const std::vector<std::string>& names);

} // namespace fluxhook::server
