// oracle_certificate FILE...: czmq loads each certificate as its two endpoints would: the keys must be a
// pair, a PUSH and a PULL that both have it must talk, and one that expects another server's key must not.
#include <czmq.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

namespace {

[[noreturn]] void fail(const std::string& file, std::string_view what) {
  std::cerr << file << ": " << what << '\n';
  std::exit(1);
}

void check_pair(const std::string& file, zcert_t* certificate) {
  char derived[41] = {};
  if (zmq_curve_public(derived, zcert_secret_txt(certificate)) != 0) fail(file, "the secret key is none");
  if (std::string_view(derived) != zcert_public_txt(certificate))
    fail(file, "the public key is not the secret key's");
}

/// A PULL with `certificate` on a port of its own choice.
zsock_t* listen(zcert_t* certificate, std::string& endpoint) {
  zsock_t* server = zsock_new(ZMQ_PULL);
  zcert_apply(certificate, server);
  zsock_set_curve_server(server, 1);
  const int port = zsock_bind(server, "tcp://127.0.0.1:*");
  if (port < 0) fail("127.0.0.1", "no port to listen on");
  endpoint = "tcp://127.0.0.1:" + std::to_string(port);
  return server;
}

zsock_t* connect(zcert_t* certificate, const char* server_key, const std::string& endpoint) {
  zsock_t* client = zsock_new(ZMQ_PUSH);
  zcert_apply(certificate, client);
  zsock_set_curve_serverkey(client, server_key);
  zsock_set_linger(client, 0);
  zsock_connect(client, "%s", endpoint.c_str());
  return client;
}

void talk(const std::string& file, zcert_t* certificate) {
  std::string endpoint;
  zsock_t* server = listen(certificate, endpoint);
  zsock_t* client = connect(certificate, zcert_public_txt(certificate), endpoint);
  zstr_send(client, "hello");
  char* heard = zstr_recv(server);
  if (heard == nullptr || std::string_view(heard) != "hello") fail(file, "the endpoints do not talk");
  zstr_free(&heard);
  zsock_destroy(&client);
  zsock_destroy(&server);
}

/// Waits for what becomes of the next handshake at the monitored socket.
int handshake(void* monitor) {
  for (;;) {
    zmq_msg_t event;
    zmq_msg_init(&event);
    if (zmq_msg_recv(&event, monitor, 0) < 0) return 0;
    std::uint16_t kind = 0;
    std::memcpy(&kind, zmq_msg_data(&event), sizeof kind);
    zmq_msg_close(&event);
    zmq_msg_init(&event);
    zmq_msg_recv(&event, monitor, 0); // the address
    zmq_msg_close(&event);
    constexpr int kHandshake = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                               ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    if ((kind & kHandshake) != 0) return kind;
  }
}

void refuse_stranger(const std::string& file, zcert_t* certificate, int turn) {
  std::string endpoint;
  zsock_t* server = listen(certificate, endpoint);
  // Its own name each time: libzmq frees one some time after its monitor has ended.
  const std::string events = "inproc://handshakes-" + std::to_string(turn);
  if (zmq_socket_monitor(zsock_resolve(server), events.c_str(), ZMQ_EVENT_ALL) != 0)
    fail(file, "libzmq can't monitor a socket");
  zsock_t* monitor = zsock_new_pair((">" + events).c_str());
  zcert_t* other = zcert_new();
  zsock_t* client = connect(certificate, zcert_public_txt(other), endpoint);
  if (handshake(zsock_resolve(monitor)) == ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
    fail(file, "a client that expects another server's key was let in");
  zsock_destroy(&client);
  zmq_socket_monitor(zsock_resolve(server), nullptr, 0);
  zsock_destroy(&monitor);
  zsock_destroy(&server);
  zcert_destroy(&other);
}

} // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string file = argv[i];
    zcert_t* certificate = zcert_load(file.c_str());
    if (certificate == nullptr) fail(file, "czmq can't load it");
    check_pair(file, certificate);
    talk(file, certificate);
    refuse_stranger(file, certificate, i);
    const char* name = zcert_meta(certificate, "name");
    std::cout << (name == nullptr ? "" : name) << ' ' << zcert_public_txt(certificate) << '\n';
    zcert_destroy(&certificate);
  }
}
