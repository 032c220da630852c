#include "companion/master_key.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <utility>

#include "companion/running.h"

namespace fluxhook::companion::test {

namespace {

constexpr auto kKeyPath = "/api/v1/namespaces/flux/secrets/keys";

Result<CurveSource> keep(const Cluster& cluster) {
  const auto client = kube::Client::open(cluster.config()).value();
  return keep_master_key(*client, "flux", "keys", {});
}

Json key_secret(Json data) {
  return {
      {"kind", "Secret"}, {"metadata", {{"name", "keys"}, {"namespace", "flux"}}}, {"data", std::move(data)}};
}

} // namespace

TEST_CASE("a master key is made where there is none, and kept from then on", "[companion]") {
  Cluster cluster;
  const auto first = keep(cluster);
  REQUIRE(first);
  const auto stored = cluster.get(kKeyPath);
  REQUIRE(stored);
  CHECK((*stored)["data"]["key"].get<std::string>().size() == 44); // base64 of 32 bytes
  CHECK(keep(cluster)->master == first->master);
  CHECK(cluster.count("POST", "/secrets") == 1);
  cluster.remove(kKeyPath);
  CHECK(keep(cluster)->master != first->master); // random
}

TEST_CASE("a master key that was there is read, also when it comes just in between", "[companion]") {
  Cluster cluster;
  Key zeros{};
  const Json theirs = key_secret({{"key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}});
  cluster.put(theirs);
  CHECK(keep(cluster)->master == zeros);
  int asked = 0;
  cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
    if (call.method == "GET" && asked++ == 0) return refusal(404, "NotFound", "not yet");
    return {};
  });
  CHECK(keep(cluster)->master == zeros);
}

TEST_CASE("a Secret with a broken master key is named with what is wrong, and never overwritten",
          "[companion]") {
  const std::vector<std::pair<Json, std::string>> table{
      {Json::object(), "has no data.key"},
      {{{"key", "c2hvcnQ="}}, "data.key: has 5 bytes: a master key has 32"},
      {{{"key", "!!!!"}}, "data.key is no base64"},
      {{{"key", ""}}, "data.key: has 0 bytes"},
      {{{"key", 7}}, "has no data.key"}};
  for (const auto& [data, says] : table) {
    Cluster cluster;
    cluster.put(key_secret(data));
    const auto kept = keep(cluster);
    REQUIRE(!kept);
    INFO(kept.error().text());
    CHECK(kept.error().text().starts_with("Secret flux/keys, the master key"));
    CHECK(kept.error().text().contains(says));
    CHECK((*cluster.get(kKeyPath))["data"] == data);
  }
}

TEST_CASE("without rights on the master key's Secret nothing is created, and the reason is said once",
          "[companion]") {
  Cluster cluster;
  cluster.put(jobset());
  std::atomic<bool> allowed = false;
  cluster.set_fault([&](const Call& call) -> std::optional<std::string> {
    if (allowed || !call.path().contains("/namespaces/flux/secrets")) return {};
    return refusal(403, "Forbidden",
                   "secrets 'fluxhook-curve-key' is forbidden: User 'x' cannot get resource");
  });
  const Running running(cluster, "one", {.key_from_secret = true});
  CHECK(cluster.wait_until([&] { return cluster.count("GET", "/fluxhook-curve-key") >= 3; }));
  CHECK(running.lines("no companions without the master key") == 1);
  CHECK(cluster.wait_until([&] { return running.figures().queue == 1; })); // the JobSet that waits for it
  const auto errors = running.figures().errors;
  const auto found =
      std::ranges::find(errors, std::string("no-master-key"), &std::pair<std::string, std::uint64_t>::first);
  REQUIRE(found != errors.end());
  CHECK(found->second >= 2);
  CHECK_FALSE(cluster.get(kSecretPath));
  CHECK(cluster.wait_until([&] { return !cluster.all("Event").empty(); }));
  CHECK(cluster.wait_until([&] { return cluster.count("GET", "/fluxhook-curve-key") >= 6; }));
  REQUIRE(cluster.all("Event").size() == 1); // once, however often it was tried
  const Json event = cluster.all("Event").at(0);
  CHECK(event["reason"] == "NoMasterKey");
  CHECK(event["regarding"]["uid"] == kUid);
  CHECK(event["note"].get<std::string>().contains("secrets 'fluxhook-curve-key' is forbidden"));
  allowed = true;
  CHECK(owner(cluster.wait_for(kMapPath)) == kUid);
  CHECK(cluster.get("/api/v1/namespaces/flux/secrets/fluxhook-curve-key"));
}

} // namespace fluxhook::companion::test
