#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "fluxhook/server/address.h"

namespace fluxhook::server::test {

/// An answer as it came: status, the head with its lines, the body.
struct Answer {
  int status = 0; ///< 0: the connection ended before an answer was whole
  std::string head;
  std::string body;

  [[nodiscard]] bool says(std::string_view line) const { return head.contains(std::string(line) + "\r\n"); }
};

/// A TLS connection that sends what it is told, byte by byte if need be. It trusts anybody: the python tests
/// look at certificates. It waits as long as it takes; ctest ends a test that hangs.
class Client {
public:
  enum class Stop { kConnected, kHandshake };

  /// kConnected: without the TLS handshake.
  explicit Client(const Address& address, Stop stop = Stop::kHandshake);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view bytes);
  void send_raw(std::string_view bytes) const; ///< below TLS
  [[nodiscard]] Answer receive();
  [[nodiscard]] Answer ask(std::string_view request) {
    send(request);
    return receive();
  }
  /// What the server has shown, PEM.
  [[nodiscard]] std::string certificate() const;
  /// Whether the server has ended the connection; waits for it.
  [[nodiscard]] bool ended();

private:
  bool read_more();

  int socket_ = -1;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  std::string in_;
};

[[nodiscard]] std::string get(std::string_view path);
[[nodiscard]] std::string post(std::string_view path, std::string_view body);

} // namespace fluxhook::server::test
