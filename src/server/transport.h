#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>

#include "fluxhook/base/freed.h"
#include "fluxhook/files/fd.h"

namespace fluxhook::server {

using SslPtr = std::unique_ptr<SSL, Freed<SSL_free>>;

/// What came of a step that never waits.
enum class Io { kDone, kWantRead, kWantWrite, kClosed };

/// A connected, non-blocking socket, plain or with TLS over it.
class Transport {
public:
  /// `ssl` null: plain. Takes over both.
  Transport(files::Fd socket, SslPtr ssl);

  Io handshake(); ///< kDone at once when plain
  Io read(char* into, std::size_t size, std::size_t& done);
  Io write(const char* from, std::size_t size, std::size_t& done);
  /// Says that nothing more will be sent.
  void end_writing();
  /// Takes what still comes and drops it, so that the end of the connection does not destroy what the peer
  /// has not read yet (a socket closed with unread bytes is reset). kWantRead: more may come.
  Io discard();

  /// Whether bytes have been taken from the socket that read() has not given yet.
  [[nodiscard]] bool has_pending() const { return ssl_ && SSL_has_pending(ssl_.get()) == 1; }
  /// Why the handshake failed, in OpenSSL's words; "" when the peer just left.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] const SSL* ssl() const { return ssl_.get(); } ///< null when plain
  [[nodiscard]] int fd() const { return socket_.get(); }

private:
  Io tls_result(int result);

  files::Fd socket_;
  SslPtr ssl_;
  std::string fault_;
};

} // namespace fluxhook::server
