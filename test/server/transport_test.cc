#include "server/transport.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "server/certificates.h"
#include "server/running.h"

using namespace fluxhook::server;

TEST_CASE("key updates without end leave the thread after what the socket has given", "[server]") {
  const auto options = test::quiet_options();
  const auto certificates = Certificates::open(options);
  REQUIRE(certificates);
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Transport transport{fluxhook::files::Fd(ends[0]), SslPtr(SSL_new((*certificates)->current()->ssl.get()))};
  const fluxhook::files::Fd peer(ends[1]);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  const SslPtr client(SSL_new(context.get()));
  SSL_set_fd(client.get(), peer.get());
  std::jthread connecting([&] { SSL_connect(client.get()); });
  Io io = Io::kWantRead;
  while (io == Io::kWantRead)
    io = transport.handshake();
  REQUIRE(io == Io::kDone);
  connecting.join();

  BIO* const sent = BIO_new(BIO_s_mem());
  SSL_set0_wbio(client.get(), sent); // which owns it
  for (int i = 0; i < 2000; ++i) {
    REQUIRE(SSL_key_update(client.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
    REQUIRE(SSL_do_handshake(client.get()) == 1);
  }
  REQUIRE(SSL_write(client.get(), "x", 1) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(sent, &data);
  REQUIRE(::send(peer.get(), data, static_cast<std::size_t>(size), 0) == size);

  std::array<char, 16> into{};
  std::size_t done = 0;
  int turns = 0; // of other connections, in between
  while ((io = transport.read(into.data(), into.size(), done)) == Io::kWantRead)
    ++turns;
  CHECK(io == Io::kDone);
  CHECK(done == 1);
  CHECK(turns >= 2);
}
