#include "fluxhook/certs/keeper.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "certs/cluster.h"

namespace fluxhook::certs::test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using kube::test::answer;
using kube::test::status;
using std::chrono::days;

TEST_CASE("an API server that can't be reached at first is waited for", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  cluster.set_fault([](const Call&) { return ""; });
  for (int i = 0; i < 3; ++i)
    CHECK(!replica.look());
  CHECK_THAT(replica.doubt,
             StartsWith("there is no certificate yet: the Secret of the certificate can't be read: "));
  CHECK(replica.served.certificate.empty());
  CHECK(replica.lines.size() == 1);
  cluster.set_fault({});
  CHECK(replica.look());
  CHECK(replica.doubt.empty());
}

TEST_CASE("an API server that goes away later changes nothing", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  CHECK(replica.look());
  const Pair served = replica.served;
  cluster.set_fault([](const Call&) { return ""; });
  clock += days(300); // past the time to renew, which can't be done
  for (int i = 0; i < 3; ++i)
    CHECK(!replica.look());
  CHECK(replica.served == served);
  CHECK(replica.doubt.empty());
}

TEST_CASE("a Secret with unusable content is made anew with a warning", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  CHECK(replica.look());
  const Pair old = replica.served;
  json broken = cluster.get(kSecret);
  broken["data"]["ca.key"] = "bm9pc2U=";
  broken["metadata"]["labels"]["team"] = "hpc";
  cluster.put(kSecret, broken);
  replica.at_serve = [&] { CHECK(replica.is_trusted(cluster)); };
  CHECK(replica.look());
  CHECK(replica.served != old);
  CHECK(replica.count(
            "warn: a new CA and a certificate of it written to the Secret secret=fluxhook-tls reason=the CA "
            "can't be used: the key: holds no unencrypted private key in PEM") == 1);
  CHECK(cluster.get(kSecret)["metadata"]["labels"]["team"] == "hpc"); // what others wrote stays
  CHECK(count(cluster.bundle(kMutating)) == 2); // other replicas still serve the old one
}

TEST_CASE("a Secret that is deleted is made anew, and the old CA stays trusted", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica one(cluster, clock), two(cluster, clock);
  CHECK((one.look() && two.look()));
  cluster.remove(kSecret);
  CHECK(one.look());
  CHECK(two.is_trusted(cluster));
  CHECK(two.look());
  CHECK(one.served == two.served);
}

TEST_CASE("a Secret that may not be read or written is told by the server's own words", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  std::string method = "GET";
  cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
    if (call.method != method || !call.path().contains("/secrets")) return {};
    return answer(403, status(403, "Forbidden", "secrets is forbidden"));
  });
  CHECK(!replica.look());
  CHECK(replica.count("warn: the Secret of the certificate can't be read") == 1);
  CHECK(replica.count("secrets is forbidden") == 1);
  method = "POST";
  CHECK(!replica.look());
  CHECK(replica.count("warn: the Secret of the certificate can't be written") == 1);
  CHECK_THAT(replica.doubt, ContainsSubstring("secrets is forbidden"));
  CHECK(cluster.writes().empty());
}

TEST_CASE("a Secret without content is filled in, and what others wrote of it stays", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  cluster.put(kSecret,
              {{"kind", "Secret"}, {"type", "Opaque"}, {"metadata", {{"labels", {{"team", "hpc"}}}}}});
  Replica replica(cluster, clock);
  CHECK(replica.look());
  CHECK(replica.is_trusted(cluster));
  CHECK(replica.count("warn: ") == 0);
  CHECK(cluster.get(kSecret)["metadata"]["labels"]["team"] == "hpc");
  CHECK(cluster.get(kSecret)["type"] == "Opaque");
}

TEST_CASE("a Secret without content that may not be written takes no CA from a caBundle", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica(cluster, clock).look();
  cluster.put(kSecret, {{"kind", "Secret"}, {"metadata", json::object()}});
  cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
    if (call.method != "PUT") return {};
    return answer(403, status(403, "Forbidden", "may not update"));
  });
  Replica replica(cluster, clock);
  CHECK(!replica.look());
  CHECK(count(cluster.bundle(kMutating)) == 1);
  CHECK(count(cluster.bundle(kValidating)) == 1);
}

TEST_CASE("what may not be renewed is served on as long as it is good", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica(cluster, clock).look();
  clock += days(300);
  cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
    if (call.method != "PUT") return {};
    return answer(403, status(403, "Forbidden", "may not update"));
  });
  Replica replica(cluster, clock);
  CHECK(!replica.look());
  CHECK(replica.served.certificate == cluster.value("tls.crt"));
  CHECK(replica.doubt.empty());
}

TEST_CASE("a certificate that the server won't take is offered again", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  replica.takes = false;
  replica.look();
  CHECK(replica.doubt == "there is no certificate yet");
  replica.takes = true;
  CHECK(replica.look());
  CHECK(replica.served.certificate == cluster.value("tls.crt"));
  CHECK(replica.doubt.empty());
}

TEST_CASE("cert-manager's Secret is left alone", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  json secret = json::parse(new_secret("fluxhook-tls", "flux", {}));
  secret["metadata"]["annotations"]["cert-manager.io/certificate-name"] = "fluxhook";
  cluster.put(kSecret, secret);
  Replica replica(cluster, clock);
  CHECK(!replica.look());
  CHECK(cluster.writes().empty());
  CHECK_THAT(replica.doubt, ContainsSubstring("belongs to cert-manager"));
}

TEST_CASE("a configuration that calls another Service is left alone", "[certs]") {
  Cluster cluster;
  cluster.put(kMutating, configuration("MutatingWebhookConfiguration", "fluxhook", "elsewhere"));
  Time clock = kBegin;
  Replica replica(cluster, clock);
  CHECK(!replica.look());
  CHECK(cluster.bundle(kMutating).empty());
  CHECK_THAT(replica.doubt, ContainsSubstring("calls the Service elsewhere/fluxhook and not flux/fluxhook"));
}

TEST_CASE("who is stopped in the middle says nothing", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  const auto client = kube::Client::open(cluster.config()).value();
  std::stop_source stop;
  cluster.set_fault([&](const Call&) -> std::optional<std::string> {
    stop.request_stop();
    return {};
  });
  int told = 0;
  KeeperOptions options;
  options.name_space = "flux";
  options.now = [&] { return clock; };
  options.serve = [&](const Pair&) { return ++told > 0; };
  options.doubt = [&](const std::string&) { ++told; };
  options.log = [&](const Note&) { ++told; };
  Keeper(*client, options).run(stop.get_token());
  CHECK(told == 0);
  CHECK(cluster.writes().empty());
}

TEST_CASE("a keeper looks each minute, and after a fault soon and then less often", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  const auto client = kube::Client::open(cluster.config()).value();
  std::stop_source stop;
  std::vector<std::chrono::milliseconds> waits;
  KeeperOptions options;
  options.name_space = "flux";
  options.now = [&] { return clock; };
  options.serve = [](const Pair&) { return true; };
  options.doubt = [](const std::string&) {};
  options.sleep = [&](std::chrono::milliseconds time, const std::stop_token&) {
    waits.push_back(time);
    if (waits.size() == 2)
      cluster.set_fault([](const Call&) { return answer(500, status(500, "InternalError", "x")); });
    if (waits.size() == 12) cluster.set_fault({});
    return waits.size() < 13;
  };
  Keeper(*client, options).run(stop.get_token());
  using namespace std::chrono_literals;
  CHECK(waits.at(0) == 60s);
  CHECK(waits.at(1) == 60s);
  CHECK((waits.at(2) >= 800ms && waits.at(2) <= 1600ms));
  CHECK((waits.at(11) >= 10s && waits.at(11) <= 20s)); // creates are refused meanwhile
  CHECK(waits.at(12) == 60s);
}

} // namespace fluxhook::certs::test
