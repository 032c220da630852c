#include "fluxhook/server/server.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "server/client.h"

using namespace fluxhook::server;
using fluxhook::fail;
using fluxhook::Result;
using fluxhook::admission::Verdict;
using fluxhook::admission::Webhook;
using fluxhook::server::test::Client;
using fluxhook::server::test::get;
using fluxhook::server::test::post;

namespace {

/// A reviewer that answers with what it was asked, and holds back those whose body is "wait" until it is told
/// to go on.
class Echo {
public:
  Result<fluxhook::admission::Answer> operator()(std::string& body, Webhook webhook) {
    if (body == "bad") return fail("byte 0", "not JSON");
    if (body == "throw") throw std::runtime_error("secret detail");
    if (body == "wait") {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return open_; });
    }
    const std::string name = webhook == Webhook::kMutate ? "mutate:" : "validate:";
    return fluxhook::admission::Answer{
        .body = name + body, .verdict = Verdict::kAllowed, .uid = "u", .name = "n", .operation = "CREATE"};
  }

  void wait_for(int count) { // until so many are held back
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

Options quiet_options() {
  Options options;
  options.listen = {"127.0.0.1", 0};
  options.metrics = false;
  options.ephemeral = true;
  options.threads = 1;
  options.drain_accept = std::chrono::milliseconds(0);
  options.drain_timeout = std::chrono::minutes(5);
  options.log = std::make_shared<Log>(LogFormat::kText, LogLevel::kOff);
  return options;
}

struct Running {
  explicit Running(const Options& options = quiet_options()) {
    auto started = Server::start(options, std::ref(echo));
    REQUIRE(started);
    server = std::move(*started);
  }
  ~Running() { echo.open(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] const Address& at() const { return server->address(); }

  Echo echo;
  std::unique_ptr<Server> server;
};

std::vector<std::unique_ptr<Client>> connect(std::size_t count, const Address& address,
                                             Client::Stop stop = Client::Stop::kHandshake) {
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < count; ++i)
    clients.push_back(std::make_unique<Client>(address, stop));
  return clients;
}

} // namespace

TEST_CASE("a review goes to the webhook of its path, and its answer comes back", "[server]") {
  Running running;
  Client client(running.at());
  for (int i = 0; i < 3; ++i) { // over one connection
    const auto mutated = client.ask(post("/mutate?timeout=10s", "{}"));
    CHECK(mutated.status == 200);
    CHECK(mutated.body == "mutate:{}");
    CHECK(mutated.says("Content-Type: application/json"));
    CHECK_FALSE(mutated.head.contains("Connection:"));
    CHECK(client.ask(post("/validate", "{}")).body == "validate:{}");
  }
}

TEST_CASE("requests that come at once are answered one after the other", "[server]") {
  Running running;
  Client client(running.at());
  client.send(post("/mutate", "1") + get("/livez") + post("/validate", "2") + post("/mutate", "3"));
  CHECK(client.receive().body == "mutate:1");
  CHECK(client.receive().body == "ok\n");
  CHECK(client.receive().body == "validate:2");
  CHECK(client.receive().body == "mutate:3");
}

TEST_CASE("a request may come in pieces of any size", "[server]") {
  Running running;
  const std::string request = post("/mutate", "{\"a\":1}");
  Client by_byte(running.at());
  for (const char byte : request)
    by_byte.send(std::string_view(&byte, 1));
  CHECK(by_byte.receive().body == "mutate:{\"a\":1}");
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    Client client(running.at());
    client.send(request.substr(0, cut));
    CHECK(client.ask(request.substr(cut)).status == 200);
  }
}

TEST_CASE("a body up to the limit is taken whole", "[server]") {
  Running running;
  Client client(running.at());
  for (const std::size_t size : {std::size_t{1} << 14U, (std::size_t{1} << 16U) + 1, std::size_t{8} << 20U}) {
    const std::string body(size, 'x');
    const auto answer = client.ask(post("/mutate", body));
    CHECK(answer.status == 200);
    CHECK(answer.body == "mutate:" + body);
  }
}

TEST_CASE("a caller that waits for 100 Continue gets it, once", "[server]") {
  Running running;
  Client client(running.at());
  client.send(
      "POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: "
      "100-continue\r\n\r\n");
  CHECK(client.receive().status == 100);
  const auto answer = client.ask("{}");
  CHECK(answer.status == 200);
  CHECK(answer.body == "mutate:{}");
}

TEST_CASE("what is refused is answered with a Status object", "[server]") {
  Running running;
  struct Case {
    std::string request;
    int status;
    const char* reason;
    const char* message;
  };
  const std::vector<Case> cases{
      {post("/mutate", "bad"), 400, "BadRequest", "byte 0: not JSON"},
      {post("/mutate", ""), 400, "BadRequest", "empty"},
      {post("/nope", "{}"), 404, "NotFound", "/nope"},
      {get("/"), 404, "NotFound", "nothing"},
      {get("/../mutate"), 404, "NotFound", "nothing"},
      {get("/mutate"), 405, "MethodNotAllowed", "POST"},
      {post("/livez", "{}"), 405, "MethodNotAllowed", "GET"},
      {"DELETE /validate HTTP/1.1\r\nHost: a\r\n\r\n", 405, "MethodNotAllowed", "POST"},
      {"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", 415, "UnsupportedMediaType",
       "json"},
      {"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\n{}", 415,
       "UnsupportedMediaType", "json"},
      {post("/mutate", "throw"), 500, "InternalError", "internal error"},
      {"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 8388609\r\n\r\n{", 413, "RequestEntityTooLarge",
       "8388608"},
      {"NONSENSE\r\n\r\n", 400, "BadRequest", "request line"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.request);
    Client client(running.at());
    const auto answer = client.ask(one.request);
    CHECK(answer.status == one.status);
    CHECK(answer.says("Content-Type: application/json"));
    CHECK(answer.says("Connection: close"));
    const auto status = nlohmann::json::parse(answer.body);
    CHECK(status["kind"] == "Status");
    CHECK(status["apiVersion"] == "v1");
    CHECK(status["status"] == "Failure");
    CHECK(status["code"] == one.status);
    CHECK(status["reason"] == one.reason);
    CHECK(status["message"].get<std::string>().contains(one.message));
    CHECK(client.ended());
  }
  CHECK(Client(running.at()).ask(post("/mutate", "{}")).status == 200);
}

TEST_CASE("a content type may be written in any case and carry parameters", "[server]") {
  Running running;
  for (const char* type : {"application/json; charset=utf-8", "Application/JSON", "application/json ;a=b"}) {
    const std::string request =
        "POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Type: " + std::string(type) +
        "\r\n\r\n{}";
    CHECK(Client(running.at()).ask(request).status == 200);
  }
}

TEST_CASE("an answer is never compressed", "[server]") {
  Running running;
  Client client(running.at());
  const auto answer = client.ask("GET /livez HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip, br, zstd\r\n\r\n");
  CHECK(answer.body == "ok\n");
  CHECK_FALSE(answer.head.contains("Content-Encoding"));
}

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
  Options options = quiet_options();
  options.listen = running.at();
  const auto taken = Server::start(options, [](std::string&, Webhook) { return fail("", ""); });
  REQUIRE_FALSE(taken);
  CHECK(taken.error().text().contains("in use"));
  options = quiet_options();
  options.ephemeral = false;
  options.cert_file = options.key_file = "/nonexistent/tls.crt";
  const auto missing = Server::start(options, [](std::string&, Webhook) { return fail("", ""); });
  REQUIRE_FALSE(missing);
  CHECK(missing.error().text().contains("/nonexistent/tls.crt"));
}
