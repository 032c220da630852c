#include "fluxhook/kube/lease.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "kube/api_server.h"
#include "kube/lease_object.h"

namespace fluxhook::kube::test {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

/// A server of one Lease, with resourceVersions.
class LeaseServer {
public:
  void operator()(const Call& call, Peer& peer) {
    const std::scoped_lock lock(mutex_);
    log.push_back(call.method);
    if (broken) return void(peer.send(answer(500, status(500, "InternalError", "etcd is away"))));
    if (call.method == "GET") {
      peer.send(lease.is_null() ? answer(404, status(404, "NotFound", "none")) : answer(200, lease.dump()));
      return;
    }
    json sent = json::parse(call.body);
    const std::string version = sent["metadata"].value("resourceVersion", "");
    if (call.method == "POST" && !lease.is_null())
      return void(peer.send(answer(409, status(409, "AlreadyExists", "is"))));
    if (call.method == "PUT" && version != std::to_string(version_))
      return void(peer.send(answer(409, status(409, "Conflict", "changed"))));
    put(sent);
    history.push_back(lease["spec"]);
    peer.send(answer(200, lease.dump()));
  }
  /// Somebody else writes it.
  void put(json value) {
    lease = std::move(value);
    lease["metadata"]["resourceVersion"] = std::to_string(++version_);
  }
  /// The Lease of somebody else.
  void put_of(const std::string& holder, int seconds = 15) {
    put({{"kind", "Lease"},
         {"metadata", {{"name", "l"}, {"labels", {{"a", "b"}}}}},
         {"spec", {{"holderIdentity", holder}, {"leaseDurationSeconds", seconds}, {"leaseTransitions", 4}}}});
  }

  std::mutex mutex_;
  json lease;
  std::vector<json> history; ///< the specs that were written
  Strings log;
  bool broken = false;

private:
  int version_ = 0;
};

/// A candidate whose clock runs only while it sleeps, and that is told what to do at each sleep.
struct Election {
  explicit Election(LeaseServer& lease, std::function<void(int sleeps, Election&)> at_sleep) {
    const ApiServer server(std::ref(lease));
    ClientOptions client_options;
    client_options.sleep = [&](std::chrono::milliseconds time, const std::stop_token& token) {
      clock += time;
      const std::scoped_lock lock(lease.mutex_);
      at_sleep(++sleeps, *this);
      return !token.stop_requested();
    };
    auto client = Client::open(server.config(), client_options);
    ElectionOptions options{.name_space = "ns", .name = "l", .identity = "me"};
    options.now = [&] { return std::chrono::steady_clock::time_point(clock); };
    options.time = [&] { return std::chrono::system_clock::time_point(1000s + clock); };
    elect(**client, options,
          {.started = [&] { told.push_back("started"); },
           .stopped = [&] { told.push_back("stopped"); },
           .trouble = [&](const ApiError& error) { troubles.push_back(error.message); }},
          stop.get_token());
    paths = server.calls();
  }

  std::stop_source stop;
  std::chrono::milliseconds clock{0};
  int sleeps = 0;
  Strings told, troubles;
  std::vector<Call> paths;
};

SeenLease held_by(const std::string& holder, std::chrono::seconds since) {
  return {{.holder = holder, .duration = 15s}, std::chrono::steady_clock::time_point(since)};
}

} // namespace

TEST_CASE("what to do about a lease depends on its holder and on how long it has not changed", "[kube]") {
  const auto at = [](std::chrono::seconds time) { return std::chrono::steady_clock::time_point(time); };
  CHECK(decide({}, "me", at(0s)) == LeaseStep::kCreate);
  CHECK(decide(held_by("me", 0s), "me", at(5s)) == LeaseStep::kRenew);
  CHECK(decide(held_by("me", 0s), "me", at(500s)) == LeaseStep::kRenew);
  CHECK(decide(held_by("", 0s), "me", at(0s)) == LeaseStep::kTake);
  CHECK(decide(held_by("you", 0s), "me", at(14s)) == LeaseStep::kWait);
  CHECK(decide(held_by("you", 0s), "me", at(15s)) == LeaseStep::kTake);
  CHECK(decide(held_by("you", 10s), "me", at(20s)) == LeaseStep::kWait);
}

TEST_CASE("a Lease without end, of a holder beyond counting, is waited for and taken over", "[kube]") {
  const auto lease = read_lease(R"({"kind":"Lease","spec":{"holderIdentity":"you",
      "leaseDurationSeconds":9223372036854775807,"leaseTransitions":9223372036854775807}})");
  REQUIRE(lease);
  const std::chrono::steady_clock::time_point now(24h);
  CHECK(decide(SeenLease{lease->record, now}, "me", now + 24h) == LeaseStep::kWait);
  CHECK(lease->record.transitions <
        std::numeric_limits<std::int32_t>::max()); // what the API takes, with one more
}

TEST_CASE("a candidate makes the Lease, renews it, and releases it when it is stopped", "[kube]") {
  LeaseServer lease;
  const Election election(lease, [](int sleeps, Election& own) {
    if (sleeps == 3) own.stop.request_stop();
  });
  CHECK(election.told == Strings{"started", "stopped"});
  CHECK(lease.log == Strings{"GET", "POST", "PUT", "PUT", "GET", "PUT"});
  CHECK(election.paths.at(0).path() == "/apis/coordination.k8s.io/v1/namespaces/ns/leases/l");
  CHECK(election.paths.at(1).path() == "/apis/coordination.k8s.io/v1/namespaces/ns/leases");
  REQUIRE(lease.history.size() == 4);
  CHECK(lease.history[0] ==
        json::parse(R"({"holderIdentity":"me","leaseDurationSeconds":15,"leaseTransitions":0,
      "acquireTime":"1970-01-01T00:16:40.000000Z","renewTime":"1970-01-01T00:16:40.000000Z"})"));
  CHECK(lease.history[2]["acquireTime"] == "1970-01-01T00:16:40.000000Z");
  CHECK(lease.history[2]["renewTime"] == "1970-01-01T00:16:44.000000Z");
  CHECK(lease.history[3]["holderIdentity"] == "");
  CHECK(lease.history[3]["leaseDurationSeconds"] == 1);
}

TEST_CASE("a candidate waits until another one's Lease has not changed for its duration", "[kube]") {
  LeaseServer lease;
  lease.put_of("you");
  std::chrono::milliseconds last_renewal{0};
  const Election election(lease, [&](int sleeps, Election& own) {
    if (!own.told.empty()) own.stop.request_stop();
    if (sleeps != 3) return;
    json renewed = lease.lease;
    renewed["spec"]["renewTime"] = "2026-01-01T00:00:00.000000Z"; // whatever its clock says
    lease.put(renewed);
    last_renewal = own.clock;
  });
  CHECK(election.told == Strings{"started", "stopped"});
  CHECK(election.clock >= last_renewal + 15s);
  CHECK(lease.history.at(0)["holderIdentity"] == "me");
  CHECK(lease.history.at(0)["leaseTransitions"] == 5);
  CHECK(lease.lease["metadata"]["labels"]["a"] == "b"); // what others wrote stays
}

TEST_CASE("a Lease that was released is taken at once", "[kube]") {
  LeaseServer lease;
  lease.put_of("", 1);
  const Election election(lease, [](int, Election& own) { own.stop.request_stop(); });
  CHECK(election.told == Strings{"started", "stopped"});
  CHECK(election.sleeps == 1);
}

TEST_CASE("who can't renew within the deadline leads no more, before another one can", "[kube]") {
  LeaseServer lease;
  std::chrono::milliseconds lost{0};
  const Election election(lease, [&](int, Election& own) {
    lease.broken = true;
    if (own.told.size() == 2) {
      lost = lost.count() == 0 ? own.clock : lost;
      own.stop.request_stop();
    }
  });
  CHECK(election.told == Strings{"started", "stopped"});
  CHECK(lost > 10s);
  CHECK(election.troubles.at(0) == "etcd is away");
  CHECK(lease.history.size() == 1);
}

TEST_CASE("who sees that another one has the Lease leads no more", "[kube]") {
  LeaseServer lease;
  const Election election(lease, [&](int sleeps, Election& own) {
    if (sleeps == 1) lease.put_of("you");
    if (own.told.size() == 2) own.stop.request_stop();
  });
  CHECK(election.told == Strings{"started", "stopped"});
  CHECK(lease.lease["spec"]["holderIdentity"] == "you");
}

TEST_CASE("two that take the Lease at once: the server lets one", "[kube]") {
  LeaseServer lease;
  lease.put_of("you", 0);
  std::atomic<int> asked = 0;
  const ApiServer server([&](const Call& call, Peer& peer) {
    if (call.method == "PUT" && asked++ == 0) {
      const std::scoped_lock lock(lease.mutex_);
      lease.put_of("third");
    }
    lease(call, peer);
  });
  std::stop_source stop;
  ClientOptions options;
  options.sleep = [&](auto, const auto&) {
    stop.request_stop();
    return false;
  };
  Strings told;
  elect(**Client::open(server.config(), options), {.name_space = "ns", .name = "l", .identity = "me"},
        {.started = [&] { told.push_back("started"); }, .stopped = [] {}}, stop.get_token());
  CHECK(told.empty());
  CHECK(lease.lease["spec"]["holderIdentity"] == "third");
}

} // namespace fluxhook::kube::test
