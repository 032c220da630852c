#include <catch2/catch_test_macros.hpp>

#include "reapply.h"
#include "reviews.h"

using namespace fluxhook;
using namespace fluxhook::test;

namespace {

json created() { return stored(with_jobset_defaults(mutated(jobset()))); }

json causes(const json& response) { return response["status"]["details"]["causes"]; }

} // namespace

TEST_CASE("a real change stays, for JobSet to judge", "[admission]") {
  const auto before = created();
  auto manifest = jobset();
  container(manifest)["image"] = "app:2";
  auto after = updated(client_side_apply(manifest, before), before);
  CHECK(container(after)["image"] == "app:2");
  CHECK(container(after)["command"] == json{"/bin/sh", "/etc/flux-config/entrypoint.sh"});

  manifest = jobset();
  container(manifest)["command"] = {"other"};
  after = updated(client_side_apply(manifest, before), before);
  CHECK(container(after)["command"] == json{"other"});
  CHECK_FALSE(container(after).contains("args"));
}

TEST_CASE("the label can't be added to a JobSet that exists", "[admission]") {
  auto before = stored(with_jobset_defaults(jobset()));
  before["metadata"].erase("labels");
  const auto response = answer(update_review(stored(with_jobset_defaults(jobset())), before));
  CHECK(response["allowed"] == false);
  CHECK(causes(response)[0]["field"] == "metadata.labels[flux-framework.org/inject]");
}

TEST_CASE("a JobSet that carried the label before fluxhook was there is never injected later",
          "[admission]") {
  const auto before = stored(with_jobset_defaults(jobset()));
  auto now = before;
  now["spec"]["suspend"] = true;
  const auto response = answer(update_review(now, before));
  CHECK(response["allowed"] == true);
  CHECK_FALSE(response.contains("patch"));
  CHECK(response["warnings"][0].get<std::string>().starts_with("FH108: "));
}

TEST_CASE("taking the label away does not take the injection away", "[admission]") {
  const auto before = created();
  auto manifest = jobset();
  manifest["metadata"].erase("labels");
  auto incoming = client_side_apply(manifest, before);
  incoming["metadata"].erase("labels");
  CHECK(updated(incoming, before)["spec"] == before["spec"]);
}

TEST_CASE("an update with a field of a wrong type is denied: nothing can be put back into it",
          "[admission]") {
  const auto before = created();
  auto now = before;
  now["metadata"]["annotations"] = "js";
  const auto response = answer(update_review(now, before));
  CHECK(response["allowed"] == false);
  CHECK(causes(response)[0]["field"] == "metadata.annotations");
}

TEST_CASE("what is put back into an object without metadata or spec has its parents", "[admission]") {
  const auto before = created();
  auto now = before;
  now.erase("spec");
  auto after = updated(now, before);
  CHECK(after["spec"]["network"] == before["spec"]["network"]);
  CHECK(after["spec"]["successPolicy"] == before["spec"]["successPolicy"]);
  now["metadata"] = {{"name", "js"}}; // without the label that it had
  now["spec"] = nullptr;
  after = updated(now, before);
  CHECK(after["metadata"]["annotations"] == before["metadata"]["annotations"]);
  CHECK(after["spec"]["startupPolicy"] == before["spec"]["startupPolicy"]);
}

TEST_CASE("a setting that is changed later has no effect, and the user is told", "[admission]") {
  const auto before = created();
  auto now = before;
  now["metadata"]["annotations"]["flux-framework.org/num-proc-per-node"] = "8";
  const auto response = answer(update_review(now, before));
  CHECK(response["allowed"] == true);
  CHECK_FALSE(response.contains("patch"));
  CHECK(response["warnings"][0].get<std::string>().starts_with(
      "FH107: metadata.annotations[flux-framework.org/num-proc-per-node]"));
}

TEST_CASE("going back to the setting that was injected is no change", "[admission]") {
  const auto before = created();
  auto changed = before;
  changed["metadata"]["annotations"]["flux-framework.org/num-proc-per-node"] = "8";
  auto back = before;
  back["metadata"]["annotations"]["flux-framework.org/num-proc-per-node"] = "1";
  CHECK_FALSE(answer(update_review(back, changed)).contains("warnings"));
  CHECK_FALSE(answer(update_review(before, changed)).contains("warnings"));
}

TEST_CASE("taking a setting away is told as what it is", "[admission]") {
  auto manifest = jobset();
  manifest["metadata"]["annotations"] = {{"flux-framework.org/num-proc-per-node", "4"}};
  const auto before = stored(with_jobset_defaults(mutated(manifest)));
  auto now = before;
  now["metadata"]["annotations"].erase("flux-framework.org/num-proc-per-node");
  CHECK(answer(update_review(now, before))["warnings"][0].get<std::string>().contains(
      "Forbidden: taking it away has no effect"));
}

TEST_CASE("an update of a JobSet that is being deleted is never touched", "[admission]") {
  const auto before = created();
  auto now = jobset();
  now["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const auto response = answer(update_review(now, before));
  CHECK(response["allowed"] == true);
  CHECK_FALSE(response.contains("patch"));
}

TEST_CASE("suspend is put back only where a queue owns it", "[admission]") {
  auto before = created();
  before["spec"]["suspend"] = true;
  CHECK_FALSE(updated(replace(jobset(), before), before)["spec"].contains("suspend"));
  before["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "lq";
  CHECK(updated(replace(jobset(), before), before)["spec"]["suspend"] == true);
}

TEST_CASE("a changed nodeSelector of a suspended JobSet stays changed", "[admission]") {
  auto manifest = jobset();
  pod_spec(manifest)["nodeSelector"] = {{"pool", "a"}};
  manifest["spec"]["suspend"] = true;
  const auto before = stored(with_jobset_defaults(mutated(manifest)));
  pod_spec(manifest).erase("nodeSelector");
  auto incoming = client_side_apply(manifest, before);
  auto after = updated(incoming, before);
  CHECK_FALSE(pod_spec(after).contains("nodeSelector"));
}
