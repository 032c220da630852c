#include "fluxhook/kube/events.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "kube/api_server.h"

namespace fluxhook::kube::test {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;

ObjectEvent about(const std::string& name, const std::string& message = "no") {
  return {.reason = "SecretInTheWay",
          .action = "CreateSecret",
          .message = message,
          .api_version = "jobset.x-k8s.io/v1alpha2",
          .kind = "JobSet",
          .name_space = "ns",
          .name = name,
          .uid = "u-" + name};
}

/// Events to a server that takes them all, on a clock that is set.
struct Sending {
  explicit Sending(std::size_t remembered = 1024) {
    EventsOptions options{.instance = "pod-1", .quiet = 600s, .remembered = remembered};
    options.now = [this] { return std::chrono::steady_clock::time_point(clock); };
    options.time = [] { return std::chrono::system_clock::time_point(1000s); };
    events = std::make_unique<Events>(*client, options);
  }
  std::chrono::seconds clock{0};
  std::atomic<int> code = 201;
  ApiServer server{[this](const Call&, Peer& peer) { peer.send(answer(code, "{}")); }};
  std::unique_ptr<Client> client = std::move(*Client::open(server.config()));
  std::unique_ptr<Events> events;
};

} // namespace

TEST_CASE("an Event has what events.k8s.io/v1 asks for", "[kube]") {
  Sending sending;
  CHECK(sending.events->send(about("js")).value());
  const Call call = sending.server.calls().at(0);
  CHECK(call.path() == "/apis/events.k8s.io/v1/namespaces/ns/events");
  CHECK(json::parse(call.body) == json::parse(R"({"apiVersion":"events.k8s.io/v1","kind":"Event",
      "metadata":{"generateName":"js-","namespace":"ns"},"eventTime":"1970-01-01T00:16:40.000000Z",
      "reportingController":"flux-framework.org/fluxhook","reportingInstance":"pod-1","action":"CreateSecret",
      "reason":"SecretInTheWay","note":"no","type":"Warning",
      "regarding":{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","namespace":"ns","name":"js","uid":"u-js"}})"));
}

TEST_CASE("a message is cut to 1024 bytes between two characters", "[kube]") {
  Sending sending;
  std::string message(1023, 'x');
  message += "ää";
  CHECK(sending.events->send(about("js", message)));
  CHECK(json::parse(sending.server.calls().at(0).body)["note"] == std::string(1023, 'x'));
}

TEST_CASE("the same event is not sent again for a while, another one is", "[kube]") {
  Sending sending;
  CHECK(sending.events->send(about("a")).value());
  CHECK(!sending.events->send(about("a")).value());
  CHECK(sending.events->send(about("b")).value());
  CHECK(sending.events->send(about("a", "why")).value());
  sending.clock = 599s;
  CHECK(!sending.events->send(about("a")).value());
  sending.clock = 600s;
  CHECK(sending.events->send(about("a")).value());
}

TEST_CASE("an event that could not be sent may be sent again at once", "[kube]") {
  Sending sending;
  sending.code = 403;
  CHECK(sending.events->send(about("a")).error().kind == ErrorKind::kForbidden);
  sending.code = 201;
  CHECK(sending.events->send(about("a")).value());
}

TEST_CASE("no more than so many events are remembered, the latest", "[kube]") {
  Sending sending(2);
  for (const char* name : {"a", "b", "c"})
    CHECK(sending.events->send(about(name)).value());
  CHECK(!sending.events->send(about("c")).value());
  CHECK(!sending.events->send(about("b")).value());
  CHECK(sending.events->send(about("a")).value());
}

} // namespace fluxhook::kube::test
