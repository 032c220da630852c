#include "server/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "fluxhook/base/text.h"

namespace fluxhook::server {

namespace {

/// Connections that the kernel completes before they are accepted (capped by net.core.somaxconn).
constexpr int kBacklog = 4096;

Address to_address(const sockaddr_storage& storage, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&storage), size, host.data(), host.size(), port.data(),
                    port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  std::string text = host.data();
  if (text.starts_with("::ffff:")) // an IPv4 peer of a socket that takes both
    text.erase(0, 7);
  return {.host = text, .port = static_cast<std::uint16_t>(parse_integer(port.data()).value_or(0))};
}

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

/// A socket that listens at one of the addresses that a host stands for; none: errno says why.
files::Fd bind_one(const addrinfo& info) {
  files::Fd socket(::socket(info.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (info.ai_family == AF_INET6) set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (::bind(socket.get(), info.ai_addr, info.ai_addrlen) != 0 || ::listen(socket.get(), kBacklog) != 0) {
    const int error = errno;
    socket.reset();
    errno = error;
  }
  return socket;
}

} // namespace

std::string Address::text() const {
  const bool bracketed = host.contains(':');
  return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Address> parse_address(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return fail("",
                in_quotes(text) + ": " + std::string(why) + "; it must be HOST:PORT, :PORT or [IPV6]:PORT");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return wrong("there is no port");
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  else if (host.contains(':')) return wrong("an IPv6 address stands in brackets");
  if (host.find_first_of("[]/ \t") != host.npos) return wrong("that is no host");
  const auto port = parse_integer(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return wrong("the port must be a number from 0 to 65535");
  return Address{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

Result<Listener> listen_on(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int code =
          ::getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(), port.c_str(), &hints, &found);
      code != 0)
    return fail(address.text(), std::string("can't listen: ") + ::gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);

  // All addresses: the IPv6 one takes IPv4 as well, where there is IPv6. A name: IPv4 first, as Go has it.
  const std::array families =
      address.host.empty() ? std::array{AF_INET6, AF_INET} : std::array{AF_INET, AF_INET6};
  files::Fd socket;
  for (const int family : families)
    for (const addrinfo* info = found; info != nullptr && !socket; info = info->ai_next)
      if (info->ai_family == family) socket = bind_one(*info);
  if (!socket) return fail(address.text(), std::string("can't listen: ") + std::strerror(errno));
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&storage), &size);
  return Listener{.socket = std::move(socket), .address = to_address(storage, size)};
}

Accepted accept_on(const Listener& listener, int& error) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  files::Fd socket(::accept4(listener.socket.get(), reinterpret_cast<sockaddr*>(&storage), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC));
  error = socket ? 0 : errno;
  if (!socket) return {};
  set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  return {.socket = std::move(socket), .remote = to_address(storage, size).text()};
}

} // namespace fluxhook::server
