#include "fluxhook/certs/keeper.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <thread>

#include "certs/cluster.h"
#include "certs/openssl.h"

namespace fluxhook::certs::test {

using Catch::Matchers::StartsWith;
using kube::test::answer;
using kube::test::status;
using std::chrono::days;

TEST_CASE("a first replica makes the Secret, lets both configurations trust it, then serves", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  replica.at_serve = [&] { CHECK(replica.is_trusted(cluster)); };
  CHECK(replica.look());
  CHECK(cluster.writes() ==
        std::vector<std::string>{"POST " + kSecret, "PATCH " + kMutating, "PATCH " + kValidating});
  CHECK(replica.served.certificate == cluster.value("tls.crt"));
  CHECK(replica.served.key.text() == cluster.value("tls.key"));
  CHECK(replica.doubt.empty());
  CHECK(cluster.get(kSecret)["type"] == "kubernetes.io/tls");
  CHECK(cluster.bundle(kMutating) == cluster.value("ca.crt"));
  CHECK(verify(cluster.bundle(kValidating), replica.served.certificate,
               "-attime 1767225600 -verify_hostname fluxhook.flux.svc") == "OK");
  CHECK(replica.look()); // and then nothing is left to do
  CHECK(cluster.writes().size() == 3);
  CHECK(replica.lines.size() == 3);
}

TEST_CASE("two replicas that begin at once serve one certificate", "[certs]") {
  for (int turn = 0; turn < 8; ++turn) {
    Cluster cluster;
    Time clock = kBegin;
    Replica one(cluster, clock), two(cluster, clock);
    {
      const std::jthread first([&] { one.look(); }), second([&] { two.look(); });
    }
    CHECK((one.look() && two.look()));
    CHECK(one.served == two.served);
    CHECK(one.is_trusted(cluster));
    const auto writes = cluster.writes();
    CHECK(std::ranges::count(writes, "POST " + kSecret) == 1);
    CHECK((one.doubt.empty() && two.doubt.empty()));
  }
}

TEST_CASE("who comes second to create reads what the first has made", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica first(cluster, clock), second(cluster, clock);
  cluster.set_fault([&, done = false](const Call& call) mutable -> std::optional<std::string> {
    if (call.method != "POST" || done) return {};
    done = true; // while the second one is about to create
    cluster.put(kSecret,
                json::parse(new_secret(
                    "fluxhook-tls", "flux",
                    renew({}, Step::kAuthority, service_names("fluxhook", "flux", "cluster.local"), kBegin)
                        .value())));
    return {};
  });
  CHECK(second.look());
  CHECK(second.served.certificate == cluster.value("tls.crt"));
  CHECK(second.count("written to the Secret") == 0);
  CHECK(first.look());
  CHECK(first.served == second.served);
}

TEST_CASE("a leaf is renewed in time, and the other replica follows", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica one(cluster, clock), two(cluster, clock);
  CHECK((one.look() && two.look()));
  const Pair old = one.served;
  const std::string authorities = cluster.value("ca.crt");
  clock += days(250); // a machine that was suspended in between
  CHECK((one.look() && two.look()));
  CHECK(one.served != old);
  CHECK(one.served == two.served);
  CHECK(cluster.value("ca.crt") == authorities);
  CHECK(one.count("info: a new certificate written to the Secret") == 1);
  CHECK(two.count("written to the Secret") == 0);
}

TEST_CASE("in a change of the CA nobody ever serves what is not trusted", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica one(cluster, clock), two(cluster, clock);
  for (Replica* replica : {&one, &two})
    replica->at_serve = [&cluster, replica] { CHECK(replica->is_trusted(cluster)); };
  CHECK((one.look() && two.look()));
  clock += days(2400);
  CHECK((one.look() && two.look()));
  clock += days(40); // the leaf is good for most of a year, the CA has to go
  CHECK(one.look());
  CHECK(one.served != two.served);
  CHECK(count(cluster.bundle(kMutating)) == 2);
  CHECK(count(cluster.value("ca.crt")) == 2);
  CHECK(one.is_trusted(cluster));
  CHECK(two.is_trusted(cluster)); // of the old CA, still
  CHECK(two.look());
  CHECK(two.served == one.served);
  clock += days(366);
  CHECK(one.look());
  CHECK(count(cluster.bundle(kMutating)) == 1);
  CHECK(count(cluster.bundle(kValidating)) == 1);
  CHECK(two.look());
  CHECK((one.is_trusted(cluster) && two.is_trusted(cluster)));
}

TEST_CASE("a new CA's certificate is not served while a configuration can't be made to trust it", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  CHECK(replica.look());
  clock += days(2400);
  CHECK(replica.look());
  const Pair old = replica.served;
  clock += days(40);
  cluster.set_fault([](const Call& call) -> std::optional<std::string> {
    if (call.method != "PATCH" || call.path() != kValidating) return {};
    return answer(403, status(403, "Forbidden", "may not patch"));
  });
  for (int i = 0; i < 3; ++i)
    CHECK(!replica.look());
  CHECK(replica.served == old);
  CHECK(replica.is_trusted(cluster));
  CHECK(replica.doubt.empty()); // what is served is trusted
  CHECK(replica.count("may not patch") == 1);
  cluster.set_fault({});
  CHECK(replica.look());
  CHECK(replica.served != old);
  CHECK(replica.is_trusted(cluster));
}

TEST_CASE("a replica with an old Secret in mind takes nothing back", "[certs]") {
  const int at = GENERATE(2, 3, 4); // which of its requests the other one comes before: reads, then a patch
  Cluster cluster;
  Time clock = kBegin;
  Replica one(cluster, clock), two(cluster, clock);
  CHECK((one.look() && two.look()));
  const std::string old = cluster.bundle(kMutating);
  // Somebody has emptied a caBundle: two is about to patch it, when one changes the CA.
  cluster.put(kMutating, configuration("MutatingWebhookConfiguration"));
  cluster.set_fault([&, count = 0](const Call&) mutable -> std::optional<std::string> {
    if (++count != at) return {};
    json secret = cluster.get(kSecret);
    const Record changed = renew(read_secret(secret.dump())->record, Step::kAuthority,
                                 service_names("fluxhook", "flux", "cluster.local"), clock)
                               .value();
    cluster.put(kSecret, json::parse(with_record(*read_secret(secret.dump()), changed)));
    json patched = cluster.get(kMutating);
    patched["webhooks"][0]["clientConfig"]["caBundle"] =
        json::parse(cluster.get(kSecret).dump())["data"]["ca.crt"];
    cluster.put(kMutating, patched);
    return {};
  });
  CHECK(two.look());
  CHECK(count(cluster.bundle(kMutating)) == 2);
  CHECK(cluster.bundle(kMutating) != old);
  CHECK(two.served.certificate == cluster.value("tls.crt"));
}

TEST_CASE("a caBundle that somebody else overwrites is put right, and told", "[certs]") {
  Cluster cluster;
  Time clock = kBegin;
  Replica replica(cluster, clock);
  CHECK(replica.look());
  const std::string bundle = cluster.bundle(kMutating);
  cluster.put(kMutating, configuration("MutatingWebhookConfiguration")); // GitOps applies its manifest again
  CHECK(replica.look());
  CHECK(cluster.bundle(kMutating) == bundle);
  CHECK(replica.count("warn: the caBundle was changed by somebody else: put right "
                      "configuration=MutatingWebhookConfiguration fluxhook") == 1);
  CHECK(replica.doubt.empty());
}

TEST_CASE("a configuration that is not there yet is told once and looked for again", "[certs]") {
  Cluster cluster;
  const json later = cluster.get(kValidating);
  cluster.remove(kValidating);
  Time clock = kBegin;
  Replica replica(cluster, clock);
  for (int i = 0; i < 3; ++i)
    CHECK(!replica.look());
  CHECK(replica.count("ValidatingWebhookConfiguration fluxhook is not there yet") == 1);
  CHECK(replica.doubt == "ValidatingWebhookConfiguration fluxhook is not there yet: looking for it");
  CHECK(!replica.served.certificate.empty()); // nothing is lost by serving it
  CHECK(!cluster.bundle(kMutating).empty());
  cluster.put(kValidating, later);
  CHECK(replica.look());
  CHECK(replica.doubt.empty());
  cluster.remove(kMutating);
  CHECK(!replica.look());
  CHECK_THAT(replica.doubt, StartsWith("MutatingWebhookConfiguration fluxhook is not there"));
}

} // namespace fluxhook::certs::test
