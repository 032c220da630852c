#include "server/transport.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace fluxhook::server {

namespace {

Io socket_result(ssize_t result, Io want, std::size_t& done) {
  if (result > 0) {
    done = static_cast<std::size_t>(result);
    return Io::kDone;
  }
  return result < 0 && (errno == EAGAIN || errno == EINTR) ? want : Io::kClosed;
}

} // namespace

Transport::Transport(files::Fd socket, SslPtr ssl) : socket_(std::move(socket)), ssl_(std::move(ssl)) {
  if (ssl_) {
    SSL_set_fd(ssl_.get(), socket_.get());
    SSL_set_accept_state(ssl_.get());
  }
}

Io Transport::tls_result(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
  case SSL_ERROR_NONE: return Io::kDone;
  case SSL_ERROR_WANT_READ: return Io::kWantRead;
  case SSL_ERROR_WANT_WRITE: return Io::kWantWrite;
  case SSL_ERROR_SSL:
    if (const char* const why = ERR_reason_error_string(ERR_peek_last_error())) fault_ = why;
    if (const long verdict = SSL_get_verify_result(ssl_.get()); verdict != X509_V_OK)
      fault_ += std::string(": ") + X509_verify_cert_error_string(verdict); // of the caller's certificate
    [[fallthrough]];
  default:
    ERR_clear_error(); // the queue is the thread's: the next connection must not find it
    return Io::kClosed;
  }
}

Io Transport::handshake() { return ssl_ ? tls_result(SSL_do_handshake(ssl_.get())) : Io::kDone; }

Io Transport::read(char* into, std::size_t size, std::size_t& done) {
  if (ssl_) return tls_result(SSL_read_ex(ssl_.get(), into, size, &done));
  return socket_result(::recv(fd(), into, size, 0), Io::kWantRead, done);
}

Io Transport::write(const char* from, std::size_t size, std::size_t& done) {
  if (ssl_) return tls_result(SSL_write_ex(ssl_.get(), from, size, &done));
  return socket_result(::send(fd(), from, size, MSG_NOSIGNAL), Io::kWantWrite, done);
}

void Transport::end_writing() {
  if (ssl_ && SSL_is_init_finished(ssl_.get())) {
    SSL_shutdown(ssl_.get()); // sends close_notify; the peer's is not waited for
    ERR_clear_error();
  }
  ::shutdown(fd(), SHUT_WR);
}

Io Transport::discard() {
  std::array<char, 16384> scrap;
  for (int i = 0; i < 16; ++i) { // then it is another connection's turn
    std::size_t done = 0;
    const Io io = socket_result(::recv(fd(), scrap.data(), scrap.size(), 0), Io::kWantRead, done);
    if (io != Io::kDone) return io;
  }
  return Io::kWantRead;
}

} // namespace fluxhook::server
