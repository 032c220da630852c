// A client beside a server that sends whatever it likes, over a socket.
// Input: the bytes of an answer, status line and all.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "fluxhook/base/text.h"
#include "fluxhook/kube/client.h"
#include "fuzz.h"

namespace fluxhook::fuzz {
namespace {

using namespace kube;

constexpr std::string_view kLast =
    "HTTP/1.1 200 OK\r\nContent-Length: 28\r\n\r\n{\"metadata\":{},\"items\":[]}  ";
constexpr int kHostile = 2; ///< answers to a call; a list that always goes on would never end

/// A server on the loopback address. Each connection gets one answer and is closed.
class Server {
public:
  Server() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    require(::bind(socket_, generic, length) == 0 && ::listen(socket_, 16) == 0,
            "there is a loopback address");
    require(::getsockname(socket_, generic, &length) == 0, "a socket has an address");
    port_ = ntohs(address.sin_port);
    std::thread([this] { serve(); }).detach(); // it ends with the process
  }
  [[nodiscard]] int port() const { return port_; }
  void answer_with(std::string text) {
    const std::scoped_lock lock(mutex_);
    answer_ = std::move(text);
    answered_ = 0;
  }

private:
  [[noreturn]] void serve() {
    for (;;) {
      const int peer = ::accept(socket_, nullptr, nullptr);
      if (peer < 0) continue;
      std::string head(4096, '\0');
      (void)::recv(peer, head.data(), head.size(), 0);
      const std::string text = next();
      (void)::send(peer, text.data(), text.size(), MSG_NOSIGNAL);
      ::close(peer);
    }
  }
  std::string next() {
    const std::scoped_lock lock(mutex_);
    return answered_++ < kHostile ? answer_ : std::string(kLast);
  }

  int socket_, port_ = 0;
  std::mutex mutex_;
  std::string answer_;
  int answered_ = 0;
};

template <class T>
void check(const ApiResult<T>& result) {
  if (result) return;
  const ApiError& error = result.error();
  require(!error.message.empty() && printable(error.text()) == error.text(), "a fault is one printable line",
          error.text());
  require(error.kind != ErrorKind::kStopped && error.kind != ErrorKind::kCredentials,
          "it is the server's fault");
}

std::unique_ptr<Client> client_of(int port) {
  Config config{.origin = "fuzz", .server = "http://127.0.0.1:" + std::to_string(port)};
  ClientOptions options;
  options.most = 65536;
  options.sleep = [](std::chrono::milliseconds time, const std::stop_token&) {
    require(time >= std::chrono::milliseconds(0) && time <= std::chrono::minutes(1),
            "a wait is a short time");
    return true;
  };
  auto client = Client::open(config, options);
  require(client.has_value(), "a client can be opened");
  return std::move(*client);
}

} // namespace
} // namespace fluxhook::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fluxhook::fuzz;
  static Server server;
  const auto client = client_of(server.port());
  server.answer_with(text_of(data, size));
  check(client->get("/api/v1/namespaces/a/pods/b"));
  server.answer_with(text_of(data, size));
  check(client->list(
      "/api/v1/pods", {},
      {.item = [](const Item& item) { require(!item.json.empty(), "an item is text"); }, .restart = [] {}}));
  server.answer_with(text_of(data, size));
  check(client->watch("/api/v1/pods", {}, [](const WatchEvent&) {}));
  return 0;
}
