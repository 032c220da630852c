#include "fluxhook/server/server.h"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "server/running.h"

using namespace fluxhook::server;
using namespace fluxhook::server::test;

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
