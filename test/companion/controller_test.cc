#include "fluxhook/companion/controller.h"

#include <catch2/catch_test_macros.hpp>

#include "companion/running.h"

namespace fluxhook::companion::test {

namespace {

constexpr auto kSecondUid = "99999999-2222-3333-4444-555555555555";

/// Waits until both companions of the JobSet js, of this uid, are there.
void check_both(const Cluster& cluster, const std::string& uid = kUid) {
  const auto is_owned = [&](const Json& object) { return owner(object) == uid; };
  CHECK_FALSE(cluster.wait_for(kMapPath, is_owned).is_null());
  CHECK_FALSE(cluster.wait_for(kSecretPath, is_owned).is_null());
}

/// Waits until the controller has a JobSet of another name done: all that came before it is seen to.
void settle(Cluster& cluster, const std::string& name = "last") {
  cluster.put(jobset(name, "uid-of-" + name));
  CHECK_FALSE(cluster.wait_for("/api/v1/namespaces/hpc/configmaps/" + name + "-flux-entrypoint").is_null());
}

} // namespace

TEST_CASE("an injected JobSet gets its Secret and then its ConfigMap, whether it was there before or not",
          "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  Running running(cluster);
  check_both(cluster);
  settle(cluster, "later");
  const auto maps = cluster.all("ConfigMap"), secrets = cluster.all("Secret");
  CHECK(maps.size() == 2);
  CHECK(secrets.size() == 2);
  const auto version = [](const Json& object) {
    return std::stoi(object["metadata"]["resourceVersion"].get<std::string>());
  };
  CHECK(version(*cluster.get(kSecretPath)) < version(*cluster.get(kMapPath)));
  CHECK(cluster.wait_until([&] { return running.figures().queue == 0; }));
  const Figures figures = running.figures();
  CHECK(figures.config_maps == 2);
  CHECK(figures.secrets == 2);
  CHECK(figures.leader);
}

TEST_CASE("what needs no companions gets none, until it is resumed", "[companion]") {
  Cluster cluster;
  cluster.put(with(jobset(), "/spec/suspend", true));
  Json plain = jobset("plain", "p");
  plain["metadata"].erase("annotations");
  cluster.put(plain);
  cluster.put(with(jobset("over", "o"), "/status/terminalState", "Completed"));
  cluster.put(with(jobset("unlabelled", "u"), "/metadata/labels/flux-framework.org~1inject", "false"));
  const Running running(cluster);
  settle(cluster);
  CHECK(cluster.all("ConfigMap").size() == 1);
  CHECK(cluster.all("Secret").size() == 1);
  cluster.put(with(jobset(), "/spec/suspend", false));
  check_both(cluster);
}

TEST_CASE("a leader that begins with companions that are there creates nothing", "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  {
    const Running running(cluster);
    check_both(cluster);
  }
  const Running next(cluster, "two");
  settle(cluster);
  CHECK(cluster.creates("js-flux-entrypoint") == 1);
  CHECK(cluster.creates("js-flux-curve") == 1);
}

TEST_CASE("a ConfigMap that is deleted while its JobSet needs it is made again", "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  const Running running(cluster);
  check_both(cluster);
  settle(cluster); // the ConfigMap has been seen
  cluster.remove(kMapPath);
  check_both(cluster);
  CHECK(cluster.all("Event").empty());
}

TEST_CASE("a JobSet created again under the name gets companions of its own uid", "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  const Running running(cluster);
  check_both(cluster);
  cluster.remove(kJobSetPath);
  cluster.put(jobset("js", kSecondUid));
  // The garbage collector comes some time after the controller has met what was there.
  CHECK(cluster.wait_until([&] { return cluster.creates("js-flux-curve") > 2; }));
  cluster.collect();
  check_both(cluster, kSecondUid);
}

TEST_CASE("orphans of an earlier JobSet: the ConfigMap is replaced, the Secret is reported and left",
          "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  {
    const Running running(cluster);
    check_both(cluster);
  }
  cluster.remove(kJobSetPath);
  for (const char* path : {kMapPath, kSecretPath}) { // kubectl delete --cascade=orphan
    Json orphan = *cluster.get(path);
    orphan["metadata"].erase("ownerReferences");
    cluster.put(orphan);
  }
  cluster.put(jobset("js", kSecondUid));
  const Running running(cluster, "two");
  CHECK_FALSE(cluster.wait_for(kMapPath, [](const Json& map) { return owner(map) == kSecondUid; }).is_null());
  CHECK(cluster.wait_until([&] { return !cluster.all("Event").empty(); }));
  const Json event = cluster.all("Event").at(0);
  CHECK(event["reason"] == "SecretNameTaken");
  CHECK(event["regarding"]["uid"] == kSecondUid);
  CHECK(event["note"].get<std::string>().contains("Secret js-flux-curve exists already"));
  cluster.remove(kSecretPath); // what the Event asks for
  CHECK_FALSE(cluster.wait_for(kSecretPath).is_null());
}

TEST_CASE("somebody else's ConfigMap is left alone, with an Event, and its going is noticed", "[companion]") {
  Cluster cluster;
  const Json foreign{{"kind", "ConfigMap"},
                     {"metadata", {{"name", "js-flux-entrypoint"}, {"namespace", "hpc"}, {"uid", "theirs"}}}};
  cluster.put(foreign);
  cluster.put(jobset());
  Running running(cluster);
  CHECK(cluster.wait_until([&] { return !cluster.all("Event").empty(); }));
  CHECK(cluster.all("Event").at(0)["reason"] == "ConfigMapNameTaken");
  CHECK((*cluster.get(kMapPath))["metadata"]["uid"] == "theirs");
  CHECK(cluster.count("DELETE", "") == 0);
  cluster.remove(kMapPath);
  check_both(cluster); // some minutes later
  CHECK(running.lines("reason=foreign-configmap") == 1);
}

TEST_CASE("no JobSet in the cluster: it is said once and waited for", "[companion]") {
  Cluster cluster;
  std::atomic<bool> installed = false;
  cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
    if (installed || !call.path().contains("jobset")) return {};
    return kube::test::answer(404, "404 page not found\n");
  });
  const Running running(cluster);
  CHECK(cluster.wait_until([&] { return cluster.count("GET", "/jobsets") > 5; }));
  CHECK(running.lines("JobSet is not installed") == 1);
  cluster.put(jobset());
  installed = true;
  check_both(cluster);
}

} // namespace fluxhook::companion::test
