#include "kube/api_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <format>
#include <stdexcept>

#include "kube/openssl_ptr.h"
#include "kube/stopper.h"

namespace fluxhook::kube::test {

namespace {

std::string decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

} // namespace

std::string Call::parameter(std::string_view name) const {
  const std::string wanted = std::string(name) + "=";
  std::string rest = target.find('?') == target.npos ? "" : target.substr(target.find('?') + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    if (rest.starts_with(wanted)) return decoded(rest.substr(wanted.size(), end - wanted.size()));
    rest.erase(0, end + 1);
  }
  return {};
}

std::string Call::header(std::string_view name) const {
  const std::size_t at = head.find("\r\n" + std::string(name) + ": ");
  if (at == head.npos) return {};
  const std::size_t start = at + name.size() + 4;
  return head.substr(start, head.find("\r\n", start) - start);
}

Peer::~Peer() { ::close(socket_); }

bool Peer::handshake(SSL_CTX* context) {
  if (context == nullptr) return true;
  ssl_.reset(SSL_new(context));
  SSL_set_fd(ssl_.get(), socket_);
  return SSL_accept(ssl_.get()) == 1;
}

bool Peer::more() {
  std::array<char, 16384> buffer;
  const ssize_t size = ssl_ ? SSL_read(ssl_.get(), buffer.data(), buffer.size())
                            : ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (size > 0) in_.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0;
}

bool Peer::read(Call& call) {
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == in_.npos)
    if (!more() || in_.starts_with('\x16')) return false; // a TLS handshake is no HTTP
  const char* const name = ssl_ ? SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name) : nullptr;
  call.sni = name == nullptr ? "" : name;
  call.head = in_.substr(0, end + 2);
  in_.erase(0, end + 4);
  call.method = call.head.substr(0, call.head.find(' '));
  const std::size_t start = call.method.size() + 1;
  call.target = call.head.substr(start, call.head.find(' ', start) - start);
  if (!call.header("Expect").empty()) send("HTTP/1.1 100 Continue\r\n\r\n");
  const std::string length = call.header("Content-Length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (in_.size() < size)
    if (!more()) return false;
  call.body = in_.substr(0, size);
  in_.erase(0, size);
  return true;
}

bool Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                              : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void Peer::cut() { ::shutdown(socket_, SHUT_RDWR); }

void Peer::wait_for_end() {
  while (more()) {
  }
}

namespace {

std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> make_context(const Pair& pair,
                                                               const std::string& client_ca) {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const BioPtr certificate = reader_of(pair.certificate), key = reader_of(pair.key);
  const X509Ptr leaf(PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr));
  const KeyPtr own(PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
  SSL_CTX_use_certificate(context.get(), leaf.get());
  SSL_CTX_use_PrivateKey(context.get(), own.get());
  if (client_ca.empty()) return context;
  const BioPtr ca = reader_of(client_ca);
  const X509Ptr root(PEM_read_bio_X509(ca.get(), nullptr, nullptr, nullptr));
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), root.get());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return context;
}

/// A listening socket on a free port of a loopback address.
int listen_on(const std::string& host, std::uint16_t& port) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_in);
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  storage.ss_family = host.contains(':') ? AF_INET6 : AF_INET;
  if (storage.ss_family == AF_INET6) size = sizeof(sockaddr_in6);
  if (storage.ss_family == AF_INET6) ::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr);
  else ::inet_pton(AF_INET, host.c_str(), &v4->sin_addr);
  const int listener = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  if (::bind(listener, address, size) != 0 || ::listen(listener, 16) != 0)
    throw std::runtime_error("can't listen");
  ::getsockname(listener, address, &size);
  port = ntohs(storage.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
  return listener;
}

} // namespace

ApiServer::ApiServer(Script script, Pair pair, std::string client_ca, const std::string& host,
                     Transport transport)
    : script_(std::move(script)), host_(host), context_(nullptr, SSL_CTX_free) {
  if (pair.key.empty()) pair = authority_.issue("api", "DNS:localhost,IP:127.0.0.1,IP:::1");
  if (transport == Transport::kTls) context_ = make_context(pair, client_ca);
  listener_ = listen_on(host, port_);
  accepter_ = std::thread([this] { accept_all(); });
}

ApiServer::~ApiServer() {
  ::shutdown(listener_, SHUT_RDWR);
  accepter_.join();
  ::close(listener_);
  {
    const std::scoped_lock lock(mutex_);
    for (const int socket : sockets_)
      ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_)
    thread.join();
  for (const int socket : sockets_)
    ::close(socket);
}

void ApiServer::accept_all() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const std::scoped_lock lock(mutex_);
    sockets_.push_back(::dup(socket)); // so that its number stays ours
    ++connections_;
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void ApiServer::serve(int socket) {
  const NoBrokenPipe guard; // for this thread: the client has to do without
  Peer peer(socket);
  if (!peer.handshake(context_.get())) return peer.cut();
  Call call;
  while (peer.read(call)) {
    {
      const std::scoped_lock lock(mutex_);
      calls_.push_back(call);
    }
    script_(call, peer);
    call = {};
  }
  peer.cut();
}

Config ApiServer::config() const {
  Config config{.origin = "a test", .server = url()};
  config.ca = {authority_.certificate(), "the test's CA"};
  config.token = "secret";
  return config;
}

std::string ApiServer::url() const {
  return std::format("{}://{}:{}", context_ ? "https" : "http",
                     host_.contains(':') ? "[" + host_ + "]" : host_, port_);
}

std::vector<Call> ApiServer::calls() const {
  const std::scoped_lock lock(mutex_);
  return calls_;
}

std::string answer(int code, std::string_view body, std::string_view headers) {
  return std::format("HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}",
                     code, body.size(), headers, body);
}

std::string chunked_head() {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
}

std::string chunk(std::string_view bytes) { return std::format("{:x}\r\n{}\r\n", bytes.size(), bytes); }

std::string status(int code, std::string_view reason, std::string_view message) {
  return std::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{}","reason":"{}","code":{}}})",
      message, reason, code);
}

} // namespace fluxhook::kube::test
