#include "server/client.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <format>
#include <stdexcept>

namespace fluxhook::server::test {

Client::Client(const Address& address, Stop stop)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), ssl_(SSL_new(context_.get()), SSL_free) {
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_NONE, nullptr);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(address.port);
  inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    throw std::runtime_error("can't connect");
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  SSL_set_fd(ssl_.get(), socket_);
  if (stop == Stop::kHandshake && SSL_connect(ssl_.get()) != 1)
    throw std::runtime_error("TLS handshake failed");
}

Client::~Client() { ::close(socket_); }

void Client::send(std::string_view bytes) {
  if (!bytes.empty() && SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0)
    throw std::runtime_error("can't send");
}

void Client::send_raw(std::string_view bytes) const {
  if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("can't send");
}

bool Client::read_more() {
  std::array<char, 16384> buffer;
  const int size = SSL_read(ssl_.get(), buffer.data(), buffer.size());
  if (size > 0) in_.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0;
}

Answer Client::receive() {
  Answer answer;
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == in_.npos)
    if (!read_more()) return answer;
  answer.head = in_.substr(0, end + 2);
  const std::size_t length_at = answer.head.find("Content-Length: ");
  const std::size_t length =
      length_at == answer.head.npos ? 0 : std::stoul(answer.head.substr(length_at + 16));
  while (in_.size() < end + 4 + length)
    if (!read_more()) return answer;
  answer.body = in_.substr(end + 4, length);
  in_.erase(0, end + 4 + length);
  answer.status = std::stoi(answer.head.substr(9, 3));
  return answer;
}

std::string Client::certificate() const {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(bio.get(), SSL_get0_peer_certificate(ssl_.get()));
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

bool Client::ended() {
  while (read_more()) {
  }
  return true;
}

std::string get(std::string_view path) {
  return std::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
}

std::string post(std::string_view path, std::string_view body) {
  return std::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n\r\n{}",
      path, body.size(), body);
}

} // namespace fluxhook::server::test
