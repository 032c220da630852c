#include "fluxhook/server/server.h"

#include <functional>
#include <string>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "server/running.h"

using namespace fluxhook::server;
using namespace fluxhook::server::test;

TEST_CASE("a server that is stopped answers what it has accepted", "[server]") {
  Running running;
  Client idle(running.at());
  REQUIRE(idle.ask(get("/livez")).status == 200);
  Client decided(running.at());
  decided.send(post("/mutate?timeout=30s", "wait"));
  running.echo.wait_for(1);
  Client queued(running.at());
  queued.send(post("/mutate?timeout=30s", "{}"));
  Client half_read(running.at());
  const std::string request = post("/mutate?timeout=30s", "{}");
  half_read.send(request.substr(0, 50));
  CHECK(Client(running.at()).ask(get("/livez")).status == 200); // so that all of it was read

  std::jthread stopping([&] { running.server->stop(); });
  CHECK(idle.ended());
  half_read.send(request.substr(50));
  running.echo.open();
  for (Client* client : {&decided, &queued, &half_read}) {
    const auto answer = client->receive();
    CHECK(answer.status == 200);
    CHECK(answer.says("Connection: close"));
    CHECK(client->ended());
  }
  stopping.join();
  CHECK_THROWS(Client(running.at()));
}

TEST_CASE("while a server drains it is not ready, and says that each answer is the last", "[server]") {
  Options options = quiet_options();
  options.drain_accept = std::chrono::seconds(5);
  Running running(options);
  Client client(running.at());
  REQUIRE(client.ask(get("/readyz")).status == 200);
  std::jthread stopping([&] { running.server->stop(); });
  for (int status = 200; status == 200;) { // until it has begun
    const auto answer = Client(running.at()).ask(get("/readyz"));
    status = answer.status;
    if (status == 503) CHECK(answer.body.contains("stopping"));
  }
  const auto answer = client.ask(post("/mutate", "{}"));
  CHECK(answer.status == 200);
  CHECK(answer.says("Connection: close"));
  CHECK(client.ended());
}

TEST_CASE("what can't be listened to or read ends the start with the reason", "[server]") {
  Running running;
  Echo echo;
  Options options = quiet_options();
  options.listen = running.at();
  const auto taken = Server::start(options, std::ref(echo));
  REQUIRE_FALSE(taken);
  CHECK(taken.error().text().contains("in use"));
  options = quiet_options();
  options.ephemeral = false;
  options.cert_file = options.key_file = "/nonexistent/tls.crt";
  const auto missing = Server::start(options, std::ref(echo));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().text().contains("/nonexistent/tls.crt"));
}
