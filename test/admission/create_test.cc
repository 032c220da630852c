#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>

#include "reviews.h"

using namespace fluxhook;
using namespace fluxhook::test;

namespace {

json annotated(const std::string& name, const std::string& value) {
  auto object = jobset();
  object["metadata"]["annotations"]["flux-framework.org/" + name] = value;
  return object;
}

json names(const json& list) {
  json out = json::array();
  for (const auto& one : list)
    out.push_back(one["name"]);
  return out;
}

} // namespace

TEST_CASE("a plain labelled JobSet becomes a Flux cluster", "[admission]") {
  auto out = mutated(jobset());
  const auto& job = job_spec(out);
  const auto& pod = pod_spec(out);
  CHECK(job["completionMode"] == "Indexed");
  CHECK(job["backoffLimit"] == 0);
  CHECK(pod["restartPolicy"] == "Never");
  CHECK(out["spec"]["network"] == json{{"enableDNSHostnames", true}, {"publishNotReadyAddresses", true}});
  CHECK(names(pod["volumes"]) ==
        json{"flux-install", "spack-install", "shared-memory", "flux-entrypoint", "flux-curve"});
  CHECK(pod["volumes"][2]["emptyDir"] == json{{"medium", "Memory"}});
  CHECK(pod["volumes"][3]["configMap"]["name"] == "js-flux-entrypoint");
  CHECK(pod["volumes"][4]["secret"]["secretName"] == "js-flux-curve");
  const auto& main = container(out);
  CHECK(main["command"] == json{"/bin/sh", "/etc/flux-config/entrypoint.sh"});
  CHECK(main["args"] == json{"lmp", "-in", "in.reaxff"});
  CHECK(main["volumeMounts"] == json::parse(R"([
    {"name": "flux-install", "mountPath": "/mnt/flux"}, {"name": "spack-install", "mountPath": "/opt/software"},
    {"name": "shared-memory", "mountPath": "/dev/shm"},
    {"name": "flux-entrypoint", "mountPath": "/etc/flux-config", "readOnly": true},
    {"name": "flux-curve", "mountPath": "/curve", "readOnly": true}])"));
  CHECK(main["env"] == json::parse(R"([{"name": "FLUXHOOK_JOB",
    "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['job-name']"}}}])"));
  CHECK(pod["initContainers"] == json::parse(R"([{"name": "flux-installer",
    "image": "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy",
    "command": ["/bin/sh", "/etc/flux-config/init.sh"],
    "volumeMounts": [{"name": "flux-install", "mountPath": "/mnt/flux"},
      {"name": "spack-install", "mountPath": "/mnt/software"},
      {"name": "flux-entrypoint", "mountPath": "/etc/flux-config", "readOnly": true}]}])"));
}

TEST_CASE("a JobSet without the label, or with a label that says no, is left alone", "[admission]") {
  auto object = jobset();
  const auto* const value = GENERATE("", "false", "disabled", "yes");
  if (std::string_view(value).empty()) object["metadata"].erase("labels");
  else object["metadata"]["labels"]["flux-framework.org/inject"] = value;
  const auto response = answer(create_review(object));
  CHECK(response["allowed"] == true);
  CHECK_FALSE(response.contains("patch"));
  CHECK(response.contains("warnings") == (std::string_view(value) == "yes"));
}

TEST_CASE("an own /dev/shm stays the user's", "[admission]") {
  auto object = jobset();
  pod_spec(object)["volumes"] = {{{"name", "mine"}, {"emptyDir", json::object()}}};
  container(object)["volumeMounts"] = {{{"name", "mine"}, {"mountPath", GENERATE("/dev/shm", "/dev/shm/")}}};
  auto out = mutated(object);
  CHECK(names(pod_spec(out)["volumes"]) ==
        json{"mine", "flux-install", "spack-install", "flux-entrypoint", "flux-curve"});
  CHECK(container(out)["volumeMounts"].size() == 5);
}

TEST_CASE("view-image none brings no installer and no software volume", "[admission]") {
  auto out = mutated(annotated("view-image", "none"));
  CHECK_FALSE(pod_spec(out).contains("initContainers"));
  CHECK(names(pod_spec(out)["volumes"]) ==
        json{"flux-install", "shared-memory", "flux-entrypoint", "flux-curve"});
}

TEST_CASE("the installer takes over the main container's securityContext and comes last", "[admission]") {
  auto object = jobset();
  const auto context =
      json::parse(R"({"runAsNonRoot": true, "capabilities": {"drop": ["ALL"]}, "runAsUser": 4242})");
  container(object)["securityContext"] = context;
  pod_spec(object)["initContainers"] = {{{"name", "fetch"}, {"image", "a:1"}}};
  auto out = mutated(object);
  CHECK(names(pod_spec(out)["initContainers"]) == json{"fetch", "flux-installer"});
  CHECK(pod_spec(out)["initContainers"][1]["securityContext"] == context);
  CHECK_FALSE(pod_spec(out)["initContainers"][1].contains("resources"));
}

TEST_CASE("arm64 pods get the view for arm64, unless the user chose one", "[admission]") {
  auto object = jobset();
  pod_spec(object)["nodeSelector"] = {{"kubernetes.io/arch", "arm64"}};
  auto out = mutated(object);
  CHECK(pod_spec(out)["initContainers"][0]["image"] ==
        "ghcr.io/converged-computing/flux-view-ubuntu:arm-jammy");
  object["metadata"]["annotations"]["flux-framework.org/view-image"] = "example.com/view:1";
  out = mutated(object);
  CHECK(pod_spec(out)["initContainers"][0]["image"] == "example.com/view:1");
}

TEST_CASE("generateName is given its name by the webhook, the same for the same request", "[admission]") {
  auto object = jobset();
  object["metadata"].erase("name");
  object["metadata"]["generateName"] = "sweep-";
  const auto out = mutated(object);
  const auto name = out["metadata"]["name"].get<std::string>();
  CHECK(name.starts_with("sweep-"));
  CHECK(name.size() == 11);
  CHECK(mutated(object) == out);
  const auto& pod = out["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"];
  CHECK(pod["volumes"][3]["configMap"]["name"] == name + "-flux-entrypoint");
}

TEST_CASE("a hostNetwork pod gets the DNS policy with which names resolve", "[admission]") {
  auto object = jobset();
  pod_spec(object)["hostNetwork"] = true;
  auto out = mutated(object);
  CHECK(pod_spec(out)["dnsPolicy"] == "ClusterFirstWithHostNet");
  pod_spec(object)["dnsPolicy"] = "Default";
  CHECK(denial(object).contains("spec.dnsPolicy: Invalid value: \"Default\""));
}

TEST_CASE("a manifest copied from a cluster under another name gets the other name's companions",
          "[admission]") {
  auto object = mutated(annotated("num-proc-per-node", "2"));
  object["metadata"]["name"] = "copy";
  object["metadata"]["annotations"]["flux-framework.org/num-proc-per-node"] = "4";
  auto out = mutated(object);
  CHECK(pod_spec(out)["volumes"][3]["configMap"]["name"] == "copy-flux-entrypoint");
  CHECK(pod_spec(out)["volumes"][4]["secret"]["secretName"] == "copy-flux-curve");
  const auto injected =
      json::parse(out["metadata"]["annotations"]["flux-framework.org/injected"].get<std::string>());
  CHECK(injected["set"]["num-proc-per-node"] == "4");
  CHECK(mutated(out) == out);
}

TEST_CASE("an object created again keeps what an earlier server's defaults gave it", "[admission]") {
  flux::Defaults defaults;
  defaults.settings.network_device = "ib0";
  const auto out = mutated(jobset(), defaults);
  CHECK(mutated(out) == out);
}

TEST_CASE("only the chosen replicatedJobs are touched, in one instance", "[admission]") {
  auto object = annotated("replicated-jobs", "b,a");
  auto& jobs = object["spec"]["replicatedJobs"];
  jobs.push_back(jobs[0]);
  jobs.push_back(jobs[0]);
  for (std::size_t i = 0; i < 3; ++i)
    jobs[i]["name"] = std::string(1, static_cast<char>('a' + i));
  const auto out = mutated(object);
  CHECK(out["spec"]["replicatedJobs"][2] == jobs[2]);
  const auto& affinity = out["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["affinity"];
  const auto& term = affinity["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"][0];
  CHECK(term["podAffinityTerm"]["labelSelector"]["matchExpressions"] == json::parse(R"([
    {"key": "jobset.sigs.k8s.io/jobset-name", "operator": "In", "values": ["js"]},
    {"key": "jobset.sigs.k8s.io/replicatedjob-name", "operator": "In", "values": ["b", "a"]}])"));
}

TEST_CASE("complete-on leader sets the Job's success policy on index 0", "[admission]") {
  auto out = mutated(annotated("complete-on", "leader"));
  CHECK(job_spec(out)["successPolicy"] == json::parse(R"({"rules": [{"succeededIndexes": "0"}]})"));
}

TEST_CASE("a JobSet that Trainer's Flux plugin has set up is left alone, with a warning", "[admission]") {
  auto object = jobset();
  object["metadata"]["ownerReferences"] = {{{"kind", "TrainJob"}, {"name", "t"}, {"controller", true}}};
  pod_spec(object)["initContainers"] = {{{"name", "flux-installer"}, {"image", "a:1"}}};
  const auto response = answer(create_review(object));
  CHECK(response["allowed"] == true);
  CHECK_FALSE(response.contains("patch"));
  CHECK(response["warnings"][0].get<std::string>().starts_with("FH105: "));
}
