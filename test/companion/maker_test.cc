#include "companion/maker.h"

#include <catch2/catch_test_macros.hpp>

#include "companion/cluster.h"

namespace fluxhook::companion::test {

using namespace std::chrono_literals;

namespace {

constexpr Time kNow{24h};

/// Makes the companions of the JobSet js, by a task of this uid.
Outcome make(const Cluster& cluster, Task task = {}) {
  task.name_space = "hpc";
  task.name = "js";
  if (task.uid.empty()) task.uid = kUid;
  const auto client = kube::Client::open(cluster.config(), {.retries = 0}).value();
  CurveSource curve;
  curve.from_uid = true;
  return Maker(*client, curve, "cluster.local", [] { return 0.0; }).make(task, kNow, {});
}

Json object(const std::string& kind, const std::string& name, const std::string& uid) {
  return {{"kind", kind}, {"metadata", {{"name", name}, {"namespace", "hpc"}, {"uid", uid}}}};
}

/// A task whose Secret's name has been taken for so long.
Outcome make_beside_a_secret(Cluster& cluster, std::chrono::milliseconds age) {
  cluster.put(jobset());
  cluster.put(object("Secret", "js-flux-curve", "theirs"));
  return make(cluster, {.secret = {.refused = kNow - age, .settled = false}});
}

} // namespace

TEST_CASE("a JobSet that is gone, is another one by now or has been suspended needs nothing", "[companion]") {
  Cluster cluster;
  CHECK(make(cluster).ending.not_needed);
  cluster.put(jobset("js", "another"));
  CHECK(make(cluster).ending.not_needed);
  cluster.put(with(jobset(), "/spec/suspend", true));
  CHECK(make(cluster).ending.not_needed);
  CHECK(cluster.count("POST", "") == 0);
}

TEST_CASE("a JobSet that comes with its task is not read again", "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  const Outcome outcome = make(cluster, {.jobset = cluster.get(kJobSetPath)->dump()});
  CHECK(outcome.ending.map.jobset == kUid);
  CHECK(owner(*cluster.get(kSecretPath)) == kUid);
  CHECK(cluster.count("GET", "") == 0);
}

TEST_CASE("for 20 s nothing is made beside a Secret of the name, and nobody hears of it", "[companion]") {
  for (const auto age : {0ms, 19'500ms}) {
    Cluster cluster;
    const Outcome outcome = make_beside_a_secret(cluster, age);
    CHECK(outcome.ending.fault == Fault::kSecretInTheWay);
    CHECK(outcome.expected);
    CHECK(outcome.ending.again.value() <= 20s - age);
    CHECK(outcome.ending.secret.refused == kNow - age);
    CHECK_FALSE(cluster.get(kMapPath));
  }
}

TEST_CASE("after 20 s the ConfigMap is made, and the Secret is tried on", "[companion]") {
  Cluster cluster;
  const Outcome outcome = make_beside_a_secret(cluster, 20s);
  CHECK(outcome.ending.fault == Fault::kSecretInTheWay);
  CHECK_FALSE(outcome.expected);
  CHECK(outcome.ending.again);
  CHECK(outcome.ending.secret_pending);
  CHECK(outcome.ending.map.jobset == kUid);
  CHECK(outcome.config_maps == 1);
}

TEST_CASE("after 10 min a Secret in the way is given up", "[companion]") {
  Cluster cluster;
  const Outcome outcome = make_beside_a_secret(cluster, 10min);
  CHECK_FALSE(outcome.ending.again);
  CHECK(outcome.ending.secret.settled);
  CHECK(cluster.get(kMapPath));
}

TEST_CASE("a ConfigMap is deleted only when it is fluxhook's of another uid, and has not changed meanwhile",
          "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  Json earlier = object("ConfigMap", "js-flux-entrypoint", "old");
  earlier["metadata"]["labels"][kManagedByLabel] = kManager;
  earlier["metadata"]["annotations"][kUidAnnotation] = "earlier";
  cluster.put(earlier);
  const Outcome outcome = make(cluster); // its watch had not told of it
  CHECK(outcome.ending.fault == Fault::kNone);
  CHECK(owner(*cluster.get(kMapPath)) == kUid);
  const SecretState settled{.refused = {}, .settled = true};
  const Task late{.map = {"old", "earlier"}, .secret = settled}; // by now it is ours
  CHECK(make(cluster, late).ending.map.jobset == kUid);
  CHECK(cluster.stored(kMapPath) == 2);

  Json theirs =
      object("ConfigMap", "js-flux-entrypoint", "theirs"); // with the annotation alone, or the label
  theirs["metadata"]["annotations"][kUidAnnotation] = "earlier";
  cluster.put(theirs);
  CHECK(make(cluster, {.secret = settled}).ending.fault == Fault::kForeignMap);
  theirs["metadata"]["labels"][kManagedByLabel] = kManager;
  theirs["metadata"].erase("annotations");
  cluster.put(theirs);
  CHECK(make(cluster, {.secret = settled}).ending.fault == Fault::kForeignMap);
  CHECK((*cluster.get(kMapPath))["metadata"]["uid"] == "theirs");
}

TEST_CASE("a ConfigMap that can't be deleted yet is tried again", "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  Json earlier = object("ConfigMap", "js-flux-entrypoint", "old");
  earlier["metadata"]["labels"][kManagedByLabel] = kManager;
  earlier["metadata"]["annotations"][kUidAnnotation] = "earlier";
  cluster.put(earlier);
  cluster.set_fault([](const Call& call) -> std::optional<std::string> { // a finalizer holds it
    if (call.method == "DELETE") return kube::test::answer(200, R"({"kind":"Status","status":"Success"})");
    return {};
  });
  const Outcome outcome = make(cluster);
  CHECK(outcome.ending.fault == Fault::kConflict);
  CHECK(outcome.ending.again == 1s);
  CHECK(outcome.ending.secret.settled); // the Secret is made and isn't doubted the next time
}

} // namespace fluxhook::companion::test
