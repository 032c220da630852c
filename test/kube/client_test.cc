#include "fluxhook/kube/client.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "kube/api_server.h"
#include "kube/temporary.h"

namespace fluxhook::kube::test {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

/// A client that doesn't wait between tries, and notes how long it would have.
struct Asking {
  explicit Asking(const Config& config, ClientOptions options = {}) {
    options.sleep = [this](std::chrono::milliseconds time, const std::stop_token&) {
      slept.push_back(time);
      return true;
    };
    auto opened = Client::open(config, options);
    if (!opened) FAIL(opened.error().text());
    client = std::move(*opened);
  }
  std::vector<std::chrono::milliseconds> slept;
  std::unique_ptr<Client> client;
};

const std::string kPath = "/api/v1/namespaces/a/configmaps/b";

/// What one answer is made of.
ApiError error_of(const std::string& bytes) {
  const ApiServer server([&](const Call&, Peer& peer) {
    peer.send(bytes);
    peer.cut();
  });
  const auto got = Asking(server.config()).client->get(kPath);
  if (got) FAIL("an answer: " + *got);
  CHECK(got.error().where == "GET " + server.url() + kPath);
  return got.error();
}

} // namespace

TEST_CASE("a get sends token, agent and Accept, and returns the body", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, R"({"kind":"ConfigMap"})")); });
  Asking asking(server.config());
  CHECK(asking.client->get(kPath).value() == R"({"kind":"ConfigMap"})");
  const Call call = server.calls().at(0);
  CHECK(call.target == kPath);
  CHECK(call.header("Authorization") == "Bearer secret");
  CHECK(call.header("Accept") == "application/json");
  CHECK_THAT(call.header("User-Agent"), ContainsSubstring("fluxhook/"));
  CHECK("https://" + call.header("Host") == server.url());
}

TEST_CASE("a connection is used again", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Asking asking(server.config());
  for (int i = 0; i < 3; ++i)
    CHECK(asking.client->get(kPath));
  CHECK(server.connections() == 1);
}

TEST_CASE("a body of any size is sent at once, without asking whether it is welcome", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(201, "{}")); });
  const std::string object(100'000, 'x');
  CHECK(Asking(server.config()).client->create("/api/v1/namespaces/a/configmaps", object));
  const Call call = server.calls().at(0);
  CHECK(call.header("Expect").empty()); // net/http takes an empty one for none, as RFC 9110 10.1.1 does
  CHECK(call.body == object);
}

TEST_CASE("a connection that the server closed is made again without an error", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) {
    peer.send(answer(200, "{}"));
    peer.cut();
  });
  Asking asking(server.config());
  for (int i = 0; i < 3; ++i)
    CHECK(asking.client->get(kPath));
  CHECK(server.connections() == 3);
}

TEST_CASE("the server's path goes before the request's", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Config config = server.config();
  config.server += "/k8s/clusters/c-1/";
  CHECK(Asking(config).client->get(kPath));
  CHECK(server.calls().at(0).target == "/k8s/clusters/c-1" + kPath);
}

TEST_CASE("create, update and patch say who manages the fields, and whether it is a dry run", "[kube]") {
  const ApiServer server([](const Call& call, Peer& peer) { peer.send(answer(201, call.body)); });
  Asking asking(server.config());
  const std::string object = R"({"data":")" + std::string(5000, 'x') + R"("})";
  CHECK(asking.client->create("/api/v1/namespaces/a/configmaps", object).value() == object);
  CHECK(asking.client->update(kPath, object, {.dry_run = true, .field_manager = "me too"}).value() == object);
  CHECK(asking.client->patch(kPath, "[]"));
  const auto calls = server.calls();
  CHECK(calls.at(0).method == "POST");
  CHECK(calls.at(0).target == "/api/v1/namespaces/a/configmaps?fieldManager=fluxhook");
  CHECK(calls.at(0).header("Content-Type") == "application/json");
  CHECK(calls.at(1).method == "PUT");
  CHECK(calls.at(1).target == kPath + "?dryRun=All&fieldManager=me+too");
  CHECK(calls.at(2).method == "PATCH");
  CHECK(calls.at(2).header("Content-Type") == "application/json-patch+json");
}

TEST_CASE("a delete carries its preconditions and propagation", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Asking asking(server.config());
  CHECK(asking.client->remove(kPath, {.uid = "u", .resource_version = "7", .propagation = "Background"}));
  CHECK(asking.client->remove(kPath));
  CHECK(json::parse(server.calls().at(0).body) ==
        json::parse(
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u","resourceVersion":"7"},
                        "propagationPolicy":"Background"})"));
  CHECK(json::parse(server.calls().at(1).body) ==
        json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions"})"));
}

TEST_CASE("each kind of refusal is told apart by its Status", "[kube]") {
  struct Kind {
    int code;
    const char* reason;
    ErrorKind kind;
  };
  const auto kind = GENERATE(from_range(std::vector<Kind>{
      {400, "BadRequest", ErrorKind::kRefused},
      {401, "Unauthorized", ErrorKind::kUnauthorized},
      {403, "Forbidden", ErrorKind::kForbidden},
      {404, "NotFound", ErrorKind::kNotFound},
      {405, "MethodNotAllowed", ErrorKind::kRefused},
      {409, "AlreadyExists", ErrorKind::kAlreadyExists},
      {409, "Conflict", ErrorKind::kConflict},
      {410, "Expired", ErrorKind::kGone},
      {422, "Invalid", ErrorKind::kInvalid},
      {429, "TooManyRequests", ErrorKind::kTooManyRequests},
      {500, "InternalError", ErrorKind::kServer},
      {504, "Timeout", ErrorKind::kServer},
  }));
  const ApiError error = error_of(answer(kind.code, status(kind.code, kind.reason, "it is so")));
  CHECK(error.kind == kind.kind);
  CHECK(error.code == kind.code);
  CHECK(error.reason == kind.reason);
  CHECK(error.message == "it is so");
}

TEST_CASE("a Status gives its causes and when to come back", "[kube]") {
  const ApiError error =
      error_of(answer(422, R"({"kind":"Status","code":422,"message":"two\nlines","details":{
      "retryAfterSeconds":3,"causes":[{"reason":"FieldValueInvalid","message":"no","field":"spec.x"},{}]}})"));
  CHECK(error.message == "two lines");
  CHECK(error.retry_after == std::chrono::seconds(3));
  REQUIRE(error.causes.size() == 2);
  CHECK(error.causes[0].reason == "FieldValueInvalid");
  CHECK(error.causes[0].field == "spec.x");
  CHECK(error.causes[0].message == "no");
}

TEST_CASE("a time to come back that nobody can wait for is an hour", "[kube]") {
  for (const auto* seconds : {"3601", "9223372036854775807"}) {
    const std::string body =
        std::string(R"({"kind":"Status","details":{"retryAfterSeconds":)") + seconds + "}}";
    CHECK(error_of(answer(422, body)).retry_after == std::chrono::hours(1));
    const std::string header = std::string("Retry-After: ") + seconds + "\r\n";
    CHECK(error_of(answer(422, "", header)).retry_after == std::chrono::hours(1));
  }
  const std::string beyond = R"({"kind":"Status","details":{"retryAfterSeconds":18446744073709551615}})";
  CHECK_FALSE(error_of(answer(422, beyond)).retry_after);
}

TEST_CASE("a refusal that is no whole Status is still told in one line", "[kube]") {
  CHECK(error_of(answer(500, R"({"kind":"Status"})")).message == "HTTP 500");
  CHECK(error_of(answer(409, R"({"kind":"Status","reason":"Conflict","details":7})")).message ==
        "HTTP 409 Conflict");
  CHECK(error_of(answer(502, "<html>\n<b>Bad gateway</b>\n")).message ==
        "HTTP 502, not from an API server: \"<html> <b>Bad gateway</b>\"");
  CHECK(error_of(answer(403, R"({"kind":)")).kind == ErrorKind::kForbidden);
  CHECK(error_of(answer(503, "")).message == "HTTP 503, not from an API server");
  CHECK(error_of(answer(404, R"([])")).kind == ErrorKind::kNotFound);
}

TEST_CASE("a kind that the cluster doesn't know is no object that is missing", "[kube]") {
  const ApiError error = error_of(answer(404, "404 page not found\n"));
  CHECK(error.kind == ErrorKind::kNoResource);
  CHECK(error.message == "the cluster has no such resource: is its CustomResourceDefinition installed?");
}

TEST_CASE("a redirect is refused: the token goes to nobody else", "[kube]") {
  const ApiError error = error_of(answer(302, "", "Location: https://elsewhere/login\r\n"));
  CHECK(error.kind == ErrorKind::kRefused);
  CHECK(error.message ==
        "redirected (HTTP 302) to \"https://elsewhere/login\": the API server's own URL is needed");
}

TEST_CASE("an answer that breaks off, or is no HTTP, is an error", "[kube]") {
  CHECK(error_of("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{").kind == ErrorKind::kUnreachable);
  CHECK(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{").kind ==
        ErrorKind::kUnreachable);
  CHECK(error_of("SSH-2.0-x\r\n").kind == ErrorKind::kUnreachable);
  CHECK(error_of("").kind == ErrorKind::kUnreachable);
}

TEST_CASE("an answer that is too large is not kept", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, std::string(100'000, ' '))); });
  const auto got = Asking(server.config(), {.most = 1000}).client->get(kPath);
  REQUIRE(!got);
  CHECK(got.error().kind == ErrorKind::kMalformed);
  CHECK(got.error().message == "the answer has more than 1000 bytes");
}

TEST_CASE("an answer in gzip is understood though it was not asked for", "[kube]") {
  // printf '{"a":1}' | gzip -n
  const std::string zipped("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x54\xb2\x32\xac\x05\x00\xaf"
                           "\xac\x1b\x56\x07\x00\x00\x00",
                           27);
  const ApiServer server(
      [&](const Call&, Peer& peer) { peer.send(answer(200, zipped, "Content-Encoding: gzip\r\n")); });
  CHECK(Asking(server.config()).client->get(kPath).value() == R"({"a":1})");
}

TEST_CASE("429 and 5xx are tried again when the server says when, so often and no more", "[kube]") {
  const auto code = GENERATE(429, 503);
  std::atomic<int> refusals = 2;
  const ApiServer server([&](const Call&, Peer& peer) {
    peer.send(refusals-- > 0 ? answer(code, "", "Retry-After: 7\r\n") : answer(200, "{}"));
  });
  Asking asking(server.config(), {.retries = 2});
  CHECK(asking.client->create("/x", "{}"));
  CHECK(asking.slept ==
        std::vector<std::chrono::milliseconds>{std::chrono::seconds(7), std::chrono::seconds(7)});
  refusals = 100;
  const auto refused = asking.client->get("/x");
  CHECK(refused.error().code == code);
  CHECK(refused.error().retry_after == std::chrono::seconds(7));
  CHECK(server.calls().size() == 6);
}

TEST_CASE("a 503 that does not say when is left to the caller", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(503, "")); });
  CHECK(Asking(server.config()).client->get(kPath).error().kind == ErrorKind::kServer);
  CHECK(server.calls().size() == 1);
}

TEST_CASE("a server that says nothing is given up", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.wait_for_end(); });
  const auto got =
      Asking(server.config(), {.request_timeout = std::chrono::milliseconds(50)}).client->get(kPath);
  CHECK(got.error().kind == ErrorKind::kUnreachable);
}

TEST_CASE("an answer that never ends is given up", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (peer.send(" "))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  const auto got =
      Asking(server.config(), {.request_timeout = std::chrono::milliseconds(400)}).client->get(kPath);
  CHECK(got.error().message == "the answer took longer than 400ms");
}

TEST_CASE("nobody at the address is told so", "[kube]") {
  Config config;
  {
    const ApiServer server([](const Call&, Peer&) {});
    config = server.config();
  }
  const auto got = Asking(config).client->get(kPath);
  CHECK(got.error().kind == ErrorKind::kUnreachable);
  CHECK(got.error().text() ==
        "GET " + config.server + kPath + ": no connection: nobody listens there, or the name is unknown");
}

} // namespace fluxhook::kube::test
