#include "fluxhook/companion/assess.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "companion/jobsets.h"
#include "fluxhook/admission/document.h"

namespace fluxhook::companion::test {

using Catch::Matchers::ContainsSubstring;

namespace {

Need need(const Json& object) {
  return need_of(admission::JobSetDocument::parse(object.dump()).value().jobset());
}

Result<Companions> companions(const Json& object, const CurveSource& curve) {
  return companions_of(admission::JobSetDocument::parse(object.dump()).value().jobset(), curve,
                       "cluster.local");
}

CurveSource master_key() {
  CurveSource curve;
  Key& key = curve.master.emplace();
  for (std::size_t i = 0; i < key.size(); ++i)
    key.at(i) = static_cast<std::uint8_t>(i);
  return curve;
}

/// Why the annotation `injected` of this text is refused.
std::string fault(const Json& injected) {
  const auto made = companions(with(jobset(), kInjectedPointer, injected), master_key());
  return made ? "none" : made.error().text();
}

} // namespace

TEST_CASE("companions are needed by an injected JobSet that has pods here", "[companion]") {
  CHECK(need(jobset()) == Need::kNeeded);
  CHECK(need(with(jobset(), "/spec/suspend", false)) == Need::kNeeded);
  CHECK(need(with(jobset(), "/spec/suspend", true)) == Need::kSuspended);
  CHECK(need(with(jobset(), "/status", {{"restarts", 1}})) == Need::kNeeded);
  CHECK(need(with(jobset(), "/status/terminalState", "Completed")) == Need::kFinished);
  CHECK(need(with(jobset(), "/status/terminalState", "Failed")) == Need::kFinished);
  CHECK(need(with(jobset(), "/metadata/deletionTimestamp", "2026-01-02T03:04:05Z")) == Need::kDeleting);
  CHECK(need(with(jobset(), "/spec/managedBy", "jobset.sigs.k8s.io/jobset-controller")) == Need::kNeeded);
  CHECK(need(with(jobset(), "/spec/managedBy", "kueue.x-k8s.io/multikueue")) == Need::kForeign);
  Json plain = jobset();
  plain["metadata"].erase("annotations");
  CHECK(need(plain) == Need::kNotInjected);
  plain["metadata"]["annotations"]["flux-framework.org/injected"] = ""; // nor has the webhook injected it
  CHECK(need(plain) == Need::kNotInjected);
  // Trainer's JobSets are injected as any other, unless its own Flux plugin set them up.
  const Json trainer = {{{"kind", "TrainJob"}, {"name", "js"}, {"controller", true}}};
  CHECK(need(with(jobset(), "/metadata/ownerReferences", trainer)) == Need::kNeeded);
  CHECK(need(with(plain, "/metadata/ownerReferences", trainer)) == Need::kNotInjected);
}

TEST_CASE("the companions are immutable, owned by the JobSet's uid and carry it besides", "[companion]") {
  const auto made = companions(jobset(), master_key()).value();
  const auto owner = Json::parse(R"([{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","name":"js",
    "uid":"11111111-2222-3333-4444-555555555555","controller":true,"blockOwnerDeletion":false}])");
  for (const Object* object : {&made.config_map, &*made.secret}) {
    const Json json = Json::parse(object->json());
    CHECK(json["immutable"] == true);
    CHECK(json["metadata"]["namespace"] == "hpc");
    CHECK(json["metadata"]["ownerReferences"] == owner);
    CHECK(json["metadata"]["annotations"]["flux-framework.org/jobset-uid"] == kUid);
    CHECK(json["metadata"]["labels"] ==
          Json{{"app.kubernetes.io/managed-by", "fluxhook"}, {"jobset.sigs.k8s.io/jobset-name", "js"}});
  }
  CHECK(Json::parse(made.config_map.json())["metadata"]["name"] == "js-flux-entrypoint");
  CHECK(Json::parse(made.secret->json())["metadata"]["name"] == "js-flux-curve");
  CHECK(Json::parse(made.secret->json())["type"] == "Opaque");
}

TEST_CASE("the ConfigMap has the files and the public key that the Secret's belongs to", "[companion]") {
  const auto made = companions(jobset(), master_key()).value();
  const Json files = Json::parse(made.config_map.json())["data"];
  for (const char* name : {"init.sh", "entrypoint.sh", "job.sh", "broker.toml", "R"})
    CHECK(files.contains(name));
  CHECK_THAT(files["entrypoint.sh"], ContainsSubstring("gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V"));
  CHECK_THAT(made.config_map.json(), !ContainsSubstring("rc=DFn=PvUQ<aJECO{oRxL?=YLHPACATpyZg=0>K"));
  CurveSource by_uid;
  by_uid.from_uid = true;
  CHECK_THAT(companions(jobset(), by_uid).value().config_map.json(),
             ContainsSubstring(")RF3ktK]n14JJFEeL&Q]V2?T?f7Fzu:xw%DC@ehJ"));
}

TEST_CASE("settings come from the annotation of the injection alone", "[companion]") {
  Json changed =
      with(jobset(), kInjectedPointer, R"({"defaults":{},"set":{"curve-secret":"mine"},"version":"0.1.0"})");
  changed["metadata"]["annotations"]["flux-framework.org/curve-secret"] = "other";
  const auto made = companions(changed, master_key()).value();
  CHECK(made.users_own);
  CHECK(made.secret_name == "mine");
  CHECK_FALSE(made.secret.has_value());
}

TEST_CASE("a forged annotation of the injection is refused, naming the field", "[companion]") {
  CHECK_THAT(fault("no"), ContainsSubstring("metadata.annotations[flux-framework.org/injected]: must be"));
  CHECK_THAT(fault(R"({"defaults":{"num-proc-per-node":"0"},"set":{},"version":"0.1.0"})"),
             ContainsSubstring("num-proc-per-node"));
  CHECK_THAT(fault(R"({"defaults":{},"set":{"replicated-jobs":"other"},"version":"0.1.0"})"),
             ContainsSubstring("Not found: \"other\""));
  CHECK_THAT(fault(R"({"defaults":{},"set":{"run-options":"'"},"version":"0.1.0"})"),
             ContainsSubstring("run-options"));
  const auto pods =
      companions(with(jobset(), "/spec/replicatedJobs/0/template/spec/completions", -1), master_key());
  CHECK_THAT(pods.error().text(), ContainsSubstring("spec.replicatedJobs"));
}

TEST_CASE("the same JobSet and key give the same bytes", "[companion]") {
  const auto one = companions(jobset(), master_key()).value(),
             two = companions(jobset(), master_key()).value();
  CHECK(one.config_map.json() == two.config_map.json());
  CHECK(one.secret->json() == two.secret->json());
}

TEST_CASE("a master key has 32 bytes", "[companion]") {
  CHECK(to_master_key(std::string(32, 'k'), "it").has_value());
  CHECK(to_master_key(std::string(33, 'k'), "it").error().text() == "it: has 33 bytes: a master key has 32");
  CHECK(to_master_key("", "it").error().text() == "it: has 0 bytes: a master key has 32");
}

} // namespace fluxhook::companion::test
