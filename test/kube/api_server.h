#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fluxhook/kube/config.h"
#include "kube/authority.h"

namespace fluxhook::kube::test {

/// A request as it came.
struct Call {
  std::string method, target, head, body;
  std::string sni; ///< the name that the TLS client asked for

  [[nodiscard]] std::string path() const { return target.substr(0, target.find('?')); }
  /// A parameter of the query, decoded; "" when it is absent.
  [[nodiscard]] std::string parameter(std::string_view name) const;
  /// A header's value; "" when it is absent.
  [[nodiscard]] std::string header(std::string_view name) const;
};

/// The other end of a connection.
class Peer {
public:
  explicit Peer(int socket) : socket_(socket) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  [[nodiscard]] bool handshake(SSL_CTX* context);
  [[nodiscard]] bool read(Call& call);
  bool send(std::string_view bytes); ///< false: the client has gone
  /// Ends the connection in the middle of whatever it is.
  void cut();
  /// Waits until the client has gone.
  void wait_for_end();

private:
  bool more();

  int socket_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, SSL_free};
  std::string in_;
};

/// An API server that says what a test's script tells it, byte by byte.
class ApiServer {
public:
  using Script = std::function<void(const Call& call, Peer& peer)>;

  enum class Transport { kTls, kPlain };

  explicit ApiServer(Script script, Pair pair = {}, std::string client_ca = "",
                     const std::string& host = "127.0.0.1", Transport transport = Transport::kTls);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// A configuration that reaches it, with a token.
  [[nodiscard]] Config config() const;
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::vector<Call> calls() const;
  [[nodiscard]] int connections() const { return connections_; }

private:
  void accept_all();
  void serve(int socket);

  Script script_;
  Authority authority_;
  std::string host_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<Call> calls_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::atomic<int> connections_{0};
  std::thread accepter_;
};

/// A whole answer; `headers` are lines that end in \r\n.
[[nodiscard]] std::string answer(int status, std::string_view body, std::string_view headers = "");
/// The beginning of an answer in chunks, a chunk, and the end.
[[nodiscard]] std::string chunked_head();
[[nodiscard]] std::string chunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
/// A Status of the API server.
[[nodiscard]] std::string status(int code, std::string_view reason, std::string_view message);

} // namespace fluxhook::kube::test
