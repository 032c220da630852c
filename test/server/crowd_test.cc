#include "fluxhook/server/server.h"

#include <stdexcept>
#include <string>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "server/running.h"

using namespace fluxhook::server;
using namespace fluxhook::server::test;

TEST_CASE("200 idle connections and 100 slow ones of each kind keep nobody waiting", "[server]") {
  Running running; // one thread decides
  auto idle = connect(200, running.at());
  for (auto& client : idle)
    REQUIRE(client->ask(post("/mutate", "{}")).status == 200);
  auto in_handshake = connect(100, running.at(), Client::Stop::kConnected);
  for (auto& client : in_handshake)
    client->send_raw("\x16\x03\x01"); // the beginning of a TLS record
  auto in_head = connect(100, running.at());
  for (auto& client : in_head)
    client->send("POST /mutate HTT");
  auto in_body = connect(100, running.at());
  for (auto& client : in_body)
    client->send(
        "POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{");

  for (int i = 0; i < 20; ++i)
    CHECK(Client(running.at()).ask(post("/mutate", "{}")).status == 200);
  for (auto& client : idle) // which are still good
    CHECK(client->ask(post("/mutate", "{}")).status == 200);
  for (auto& client : in_body)
    CHECK(client->ask("\"a\":1}").status == 200);
}

TEST_CASE("a caller that does not read its answer holds no thread", "[server]") {
  Running running;
  const std::string large(8U << 20U, 'x'); // more than socket buffers take
  auto deaf = connect(4, running.at());
  for (auto& client : deaf)
    client->send(post("/mutate", large));
  for (int i = 0; i < 20; ++i)
    CHECK(Client(running.at()).ask(post("/mutate", "{}")).status == 200);
  for (auto& client : deaf)
    CHECK(client->receive().body.size() == large.size() + 7);
}

TEST_CASE("probes are answered however long reviews take", "[server]") {
  Running running;
  Client busy(running.at());
  busy.send(post("/mutate?timeout=30s", "wait"));
  running.echo.wait_for(1); // the one that may decide does
  Client waits(running.at());
  waits.send(post("/mutate?timeout=30s", "{}"));
  CHECK(Client(running.at()).ask(get("/livez")).status == 200);
  CHECK(Client(running.at()).ask(get("/readyz")).status == 200);
  running.echo.open();
  CHECK(busy.receive().status == 200);
  CHECK(waits.receive().body == "mutate:{}");
}

TEST_CASE("probes are answered while a large review is decided, after many small ones", "[server]") {
  Running running;
  Client busy(running.at());
  for (int i = 0; i < 100; ++i)
    REQUIRE(busy.ask(post("/mutate", "{}")).status == 200);
  busy.send(post("/mutate?timeout=30s", "wait" + std::string(200'000, ' ')));
  running.echo.wait_for(1);
  CHECK(Client(running.at()).ask(get("/livez")).status == 200);
  running.echo.open();
  CHECK(busy.receive().status == 200);
}

TEST_CASE("a review whose turn does not come in time gets 429, while it still can be told", "[server]") {
  Running running;
  Client busy(running.at());
  busy.send(post("/mutate?timeout=30s", "wait"));
  running.echo.wait_for(1);
  Client late(running.at());
  const auto answer = late.ask(post("/mutate?timeout=1s", "{}")); // comes though nobody decides
  CHECK(answer.status == 429);
  CHECK(answer.says("Retry-After: 1"));
  CHECK_FALSE(answer.head.contains("Connection: close"));
  CHECK(nlohmann::json::parse(answer.body)["reason"] == "TooManyRequests");
  running.echo.open();
  CHECK(busy.receive().status == 200);
  CHECK(late.ask(post("/mutate?timeout=1s", "{}")).status == 200); // over the same connection
}

TEST_CASE("large bodies have a share of memory that ends", "[server]") {
  Options options = quiet_options();
  options.max_large_bodies = 200'000;
  Running running(options);
  const std::string body(150'000, 'x');
  const std::string request = post("/mutate", body);
  Client first(running.at());
  first.send(request.substr(0, request.size() - 1));
  CHECK(Client(running.at()).ask(post("/mutate", "{}")).status == 200); // so the first one's head was read
  Client second(running.at());
  const auto refused = second.ask(request.substr(0, 1000));
  CHECK(refused.status == 429);
  CHECK(refused.says("Retry-After: 1"));
  CHECK(first.ask("x").status == 200);
  CHECK(Client(running.at()).ask(request).status == 200);
}

TEST_CASE("past the limit a connection is closed at once, and the others live on", "[server]") {
  Options options = quiet_options();
  options.max_connections = 3;
  Running running(options);
  auto clients = connect(3, running.at());
  CHECK_THROWS(Client(running.at()));
  for (auto& client : clients)
    CHECK(client->ask(post("/mutate", "{}")).status == 200);
}

TEST_CASE("each phase of a connection has its limit", "[server]") {
  using std::chrono::milliseconds;
  Options options = quiet_options();
  const auto with = [&](milliseconds Options::* limit) {
    Options changed = options;
    changed.*limit = milliseconds(1);
    return changed;
  };
  {
    Running running(with(&Options::handshake_timeout));
    Client client(running.at(), Client::Stop::kConnected);
    CHECK(client.ended());
  }
  {
    Running running(with(&Options::idle_timeout));
    CHECK(Client(running.at()).ended());
  }
  {
    Running running(with(&Options::head_timeout));
    Client client(running.at());
    client.send("POST /mut");
    CHECK(client.ended());
  }
  {
    Running running(with(&Options::body_timeout));
    Client client(running.at());
    client.send("POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{");
    CHECK(client.ended());
  }
  {
    options.max_connections = 1;
    Running running(with(&Options::write_timeout));
    Client deaf(running.at());
    deaf.send(post("/mutate", std::string(8U << 20U, 'x')));
    for (bool cut = false; !cut;) { // which shows by its place being free again
      try {
        cut = Client(running.at()).ask(get("/livez")).status == 200;
      } catch (const std::runtime_error&) {
        std::this_thread::yield();
      }
    }
    CHECK(deaf.receive().status == 0);
  }
}
