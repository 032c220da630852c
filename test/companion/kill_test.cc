#include <catch2/catch_test_macros.hpp>

#include "companion/running.h"

namespace fluxhook::companion::test {

namespace {

bool is_of(const Call& call, const std::string& token) {
  return call.header("Authorization") == "Bearer " + token;
}

/// Cuts off the process "one" at its k-th request, or at that one's answer.
struct Killer {
  Killer(Cluster& cluster, int k, bool lose_answer) {
    cluster.set_fault([this, k, lose_answer](const Call& call) -> std::optional<std::string> {
      if (!is_of(call, "one")) return {};
      ++requests;
      if (requests > k || (requests == k && !lose_answer)) dead = true;
      return dead ? std::optional<std::string>("") : std::nullopt;
    });
    cluster.set_loss([this, k](const Call& call) {
      if (is_of(call, "one") && requests == k) dead = true;
      return is_of(call, "one") && dead;
    });
  }
  std::atomic<int> requests = 0;
  std::atomic<bool> dead = false;
};

} // namespace

TEST_CASE("killed at any request, the next replica ends with both companions, none of them made twice",
          "[companion]") {
  bool survived = false;
  int k = 0;
  while (!survived) {
    ++k;
    for (const bool lose_answer : {false, true}) {
      INFO("request " << k << (lose_answer ? ", answer lost" : ", not carried out"));
      Cluster cluster;
      cluster.put(jobset());
      Killer killer(cluster, k, lose_answer);
      {
        const Running one(cluster, "one", {.short_lease = true});
        CHECK(cluster.wait_until([&] { return killer.dead || cluster.get(kMapPath); }));
      }
      survived = !killer.dead;
      const Running two(cluster, "two", {.short_lease = true});
      CHECK(owner(cluster.wait_for(kMapPath)) == kUid);
      CHECK(owner(cluster.wait_for(kSecretPath)) == kUid);
      cluster.put(jobset("last", "l"));
      CHECK_FALSE(cluster.wait_for("/api/v1/namespaces/hpc/configmaps/last-flux-entrypoint").is_null());
      CHECK(cluster.stored(kMapPath) == 1);
      CHECK(cluster.stored(kSecretPath) == 1);
    }
  }
  CHECK(k >= 8); // lease, two lists, two watches, the JobSet, two creates
}

TEST_CASE("when the leader is cut off it stops, and the other replica goes on", "[companion]") {
  Cluster cluster;
  const Running one(cluster, "one", {.short_lease = true});
  CHECK(cluster.wait_until([&] { return one.figures().leader; }));
  const Running two(cluster, "two", {.short_lease = true});
  std::atomic<bool> cut = false;
  cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
    if (cut && is_of(call, "one")) return "";
    return {};
  });
  CHECK_FALSE(two.figures().leader);
  cut = true;
  cluster.put(jobset());
  CHECK(owner(cluster.wait_for(kMapPath)) == kUid);
  CHECK(cluster.wait_until([&] { return two.figures().leader && !one.figures().leader; }));
  CHECK(cluster.stored(kMapPath) == 1);
}

TEST_CASE("a leader that is stopped hands over at once", "[companion]") {
  Cluster cluster;
  Running one(cluster, "one", {.short_lease = true});
  CHECK(cluster.wait_until([&] { return one.figures().leader; }));
  one.stop();
  const auto lease = cluster.get("/apis/coordination.k8s.io/v1/namespaces/flux/leases/fluxhook");
  REQUIRE(lease);
  CHECK((*lease)["spec"]["holderIdentity"] == "");
}

} // namespace fluxhook::companion::test
