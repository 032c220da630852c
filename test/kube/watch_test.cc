#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <format>

#include "fluxhook/kube/client.h"
#include "kube/api_server.h"

namespace fluxhook::kube::test {

using Catch::Matchers::ContainsSubstring;

namespace {

std::string event(const std::string& type, const std::string& name, const std::string& version) {
  return std::format(
             R"({{"type":"{}","object":{{"kind":"X","metadata":{{"name":"{}","resourceVersion":"{}"}}}}}})",
             type, name, version) +
         "\n";
}

struct Watched {
  std::vector<std::string> events; ///< "type name version"
  ApiResult<void> result;
};

Watched watch(const ApiServer& server, WatchOptions options = {.resource_version = "5"},
              std::stop_token stop = {}) {
  Watched watched;
  auto client = Client::open(server.config(), {.most = 2000});
  watched.result = (*client)->watch(
      "/list", options,
      [&](const WatchEvent& event) {
        static constexpr std::array kTypes{"added", "modified", "deleted", "bookmark"};
        watched.events.push_back(std::format("{} {} {}", kTypes.at(static_cast<std::size_t>(event.type)),
                                             event.item.meta.name, event.item.meta.resource_version));
      },
      stop);
  return watched;
}

/// A watch that says these bytes and ends as it should, or is cut.
Watched watch_of(const std::vector<std::string>& pieces, bool cut = false) {
  return watch(ApiServer([&](const Call&, Peer& peer) {
    peer.send(chunked_head());
    for (const std::string& piece : pieces)
      peer.send(chunk(piece));
    if (cut) peer.cut();
    else peer.send(kLastChunk);
  }));
}

} // namespace

TEST_CASE("a watch hands over each event, however it is cut into chunks", "[kube]") {
  const std::string all = event("ADDED", "a", "6") + event("MODIFIED", "a", "7") +
                          event("DELETED", "a", "8") + event("BOOKMARK", "", "9") + event("LATER", "b", "10");
  const std::vector<std::string> expected{"added a 6", "modified a 7", "deleted a 8", "bookmark  9"};
  for (const std::size_t size : {1UZ, 7UZ, 64UZ, 1000UZ}) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < all.size(); at += size)
      pieces.push_back(all.substr(at, size));
    const Watched watched = watch_of(pieces);
    CHECK(watched.result);
    CHECK(watched.events == expected);
  }
}

TEST_CASE("a watch asks for bookmarks from its version on, for 5 to 10 minutes", "[kube]") {
  const ApiServer server(
      [](const Call&, Peer& peer) { peer.send(chunked_head() + std::string(kLastChunk)); });
  CHECK(watch(server, {.label_selector = "a", .resource_version = "5"}).result);
  const Call call = server.calls().at(0);
  CHECK(call.parameter("watch") == "true");
  CHECK(call.parameter("allowWatchBookmarks") == "true");
  CHECK(call.parameter("resourceVersion") == "5");
  CHECK(call.parameter("labelSelector") == "a");
  const int seconds = std::stoi(call.parameter("timeoutSeconds"));
  CHECK(seconds >= 300);
  CHECK(seconds <= 600);
}

TEST_CASE("a watch that breaks within an event is an error, and the event is not believed", "[kube]") {
  const Watched cut = watch_of({event("ADDED", "a", "6"), R"({"type":"ADDED","obj)"}, true);
  CHECK(cut.events.size() == 1);
  CHECK(cut.result.error().kind == ErrorKind::kUnreachable);
  const Watched ended = watch_of({event("ADDED", "a", "6"), R"({"type":"ADDED","obj)"});
  CHECK(ended.events.size() == 1);
  CHECK(ended.result.error().message == "the watch ended within an event");
}

TEST_CASE("an ERROR event ends the watch with its Status", "[kube]") {
  const Watched watched = watch_of(
      {R"({"type":"ERROR","object":)" + status(410, "Expired", "too old") + "}\n", event("ADDED", "a", "6")});
  CHECK(watched.events.empty());
  CHECK(watched.result.error().kind == ErrorKind::kGone);
  CHECK(watched.result.error().message == "too old");
  CHECK_THAT(watched.result.error().where, ContainsSubstring("/list"));
  CHECK(watch_of({R"({"type":"ERROR","object":{}})"}).result.error().kind == ErrorKind::kServer);
  const auto beyond =
      watch_of({R"({"type":"ERROR","object":{"kind":"Status","code":4294967696}})"}).result; // 2^32 + 400
  CHECK(beyond.error().code == 500);
}

TEST_CASE("a version that is too old is told at once, too", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(410, status(410, "Gone", "old"))); });
  CHECK(watch(server).result.error().kind == ErrorKind::kGone);
}

TEST_CASE("what is no event ends the watch", "[kube]") {
  for (const std::string& bytes :
       {std::string("garbage\n"), std::string("{}\n"), std::string("[1]\n"),
        std::string(R"({"type":"ADDED","object":{]}})"), std::string(R"({"type":"ADDED","object":7})"),
        R"({"type":"ADDED","object":{"metadata":{},"x":")" + std::string(3000, 'x')}) {
    INFO(bytes.substr(0, 40));
    CHECK(watch_of({bytes}).result.error().kind == ErrorKind::kMalformed);
  }
}

TEST_CASE("a stop ends a watch that waits", "[kube]") {
  std::stop_source stop;
  const ApiServer server([&](const Call&, Peer& peer) {
    peer.send(chunked_head() + chunk(event("ADDED", "a", "6")));
    stop.request_stop();
    peer.wait_for_end();
  });
  CHECK(watch(server, {}, stop.get_token()).result.error().kind == ErrorKind::kStopped);
}

TEST_CASE("a stop ends a request that waits for the answer's head, and a client that is stopped asks nobody",
          "[kube]") {
  std::stop_source stop;
  const ApiServer server([&](const Call&, Peer& peer) {
    stop.request_stop();
    peer.wait_for_end();
  });
  const auto client = Client::open(server.config());
  CHECK((*client)->get("/", stop.get_token()).error().kind == ErrorKind::kStopped);
  CHECK((*client)->get("/", stop.get_token()).error().kind == ErrorKind::kStopped);
  CHECK(server.calls().size() == 1);
}

TEST_CASE("a stop ends a TLS handshake that the server doesn't answer", "[kube]") {
  std::stop_source stop;
  // It reads nothing: its queue takes the connection, and nobody speaks TLS.
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  Config config{.origin = "a test", .server = std::format("https://127.0.0.1:{}", ntohs(address.sin_port))};
  config.insecure_skip_tls_verify = true;
  const auto client = Client::open(config, {.connect_timeout = std::chrono::hours(1)});
  std::jthread stopper([&] {
    const int accepted = ::accept(listener, nullptr, nullptr);
    std::array<char, 1> byte{};
    CHECK(::recv(accepted, byte.data(), 1, 0) == 1); // the handshake has begun
    stop.request_stop();
    while (::recv(accepted, byte.data(), 1, 0) > 0) {
    }
    ::close(accepted);
  });
  CHECK((*client)->get("/", stop.get_token()).error().kind == ErrorKind::kStopped);
  stopper.join();
  ::close(listener);
}

} // namespace fluxhook::kube::test
