#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flux/fields.h"
#include "flux/jobsets.h"

// Rules on Jobs, containers and pods.

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

using namespace std::string_literals;

k8s::JobSet with_dns(std::string_view policy, bool host_network) {
  auto made = jobset();
  pod_of(made).dns_policy = policy;
  pod_of(made).host_network = host_network;
  return made;
}

k8s::JobSet with_limit(std::string_view resource, std::string quantity) {
  auto made = jobset();
  container_of(made).limits = {{resource, std::move(quantity)}};
  return made;
}

k8s::JobSet sized(std::int64_t replicas, std::int64_t pods) {
  auto made = jobset();
  made.replicated_jobs[0].replicas = replicas;
  job_of(made).parallelism = job_of(made).completions = pods;
  return made;
}

} // namespace

// --- Containers and Jobs

TEST_CASE("FH012: args without a command", "[flux]") {
  auto one = jobset();
  container_of(one).command.reset();
  CHECK(findings(one).empty()); // an interactive instance
  container_of(one).args = {};
  CHECK(findings(one).empty());
  container_of(one).args = {"-v"};
  CHECK(findings(one) == Lines{"FH012 " + kContainer +
                               ".command: Required value: must be given with args: what the "
                               "image's entrypoint is can't be known"});
  container_of(one).command = {};
  CHECK(findings(one).size() == 1);
  annotate(one, "interactive", "true");
  CHECK(findings(one).empty());
}

TEST_CASE("FH013: completionMode", "[flux]") {
  auto one = jobset();
  job_of(one).completion_mode = "Indexed";
  CHECK(findings(one).empty());
  job_of(one).completion_mode = "NonIndexed";
  CHECK(findings(one) == Lines{"FH013 " + kJob +
                               ".completionMode: Invalid value: \"NonIndexed\": must be Indexed: a "
                               "broker's rank is its pod's index"});
}

TEST_CASE("FH014: completions and parallelism", "[flux]") {
  auto one = jobset();
  job_of(one).completions = 4;
  CHECK(findings(one) == Lines{"FH014 " + kJob +
                               ".completions: Invalid value: 4: must equal parallelism (2): all "
                               "brokers of a Flux instance run at the same time"});
  job_of(one).parallelism.reset();
  CHECK(findings(one).empty());
  job_of(one).completions.reset();
  CHECK(findings(one).empty());
  job_of(one).parallelism = 3;
  CHECK(findings(one).empty());
}

TEST_CASE("FH024: no pods", "[flux]") {
  const auto fault = ": must be greater than or equal to 1"s;
  CHECK(findings(sized(0, 2)) == Lines{"FH024 spec.replicatedJobs[0].replicas: Invalid value: 0" + fault});
  CHECK(findings(sized(1, 0)) == Lines{"FH024 " + kJob + ".completions: Invalid value: 0" + fault});
  CHECK(findings(sized(1, -1)) == Lines{"FH024 " + kJob + ".completions: Invalid value: -1" + fault});
  auto one = sized(1, 0);
  job_of(one).completions.reset();
  CHECK(findings(one) == Lines{"FH024 " + kJob + ".parallelism: Invalid value: 0" + fault});
}

TEST_CASE("FH026: more pods or Jobs than a ConfigMap can list", "[flux]") {
  CHECK(findings(sized(1, 100'000)).empty());
  CHECK(findings(sized(1, 100'001)) ==
        Lines{"FH026 spec.replicatedJobs: Invalid value: 100001: must have no more than "
              "100000 pods in a Flux instance"});
  CHECK(findings(sized(4'000, 1)).empty());
  CHECK(findings(sized(4'001, 1)) ==
        Lines{"FH026 spec.replicatedJobs: Invalid value: 4001: must have no more than 4000 "
              "Jobs in a Flux instance"});
  auto two = jobset({replicated_job("a"), replicated_job("b")});
  annotate(two, "replicated-jobs", "a,b");
  for (auto& job : two.replicated_jobs)
    job.replicas = 2'001;
  CHECK(findings(two).size() == 1);
  CHECK(findings(sized(5'000, 20)) == // 100000 pods, which would do
        Lines{"FH026 spec.replicatedJobs: Invalid value: 5000: must have no more than 4000 Jobs in a Flux "
              "instance"});
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(findings(sized(kMost, kMost)).back().starts_with("FH026 "));
  const auto counted = [](std::int64_t replicas, std::int64_t pods, const std::string& count) {
    return findings(sized(replicas, pods))
        .back()
        .starts_with("FH026 spec.replicatedJobs: Invalid value: " + count +
                     ": must have no more than 100000 pods");
  };
  CHECK(counted(3, 70'000'000, "210000000"));
  CHECK(counted(1, 2'147'483'647, "2147483647"));
  CHECK(counted(2'147'483'647, 2'147'483'647, "4611686014132420609"));
  CHECK(counted(kMost, kMost, std::to_string(kMost)));
}

TEST_CASE("FH026: a replicatedJob with less than no pods makes none of the others' good", "[flux]") {
  const auto told = [](std::int64_t replicas, std::int64_t pods, std::int64_t more_replicas,
                       std::int64_t more_pods) {
    auto two = jobset({replicated_job("a"), replicated_job("b")});
    annotate(two, "replicated-jobs", "a,b");
    two.replicated_jobs[0].replicas = replicas;
    two.replicated_jobs[1].replicas = more_replicas;
    job_of(two, 0).parallelism = job_of(two, 0).completions = pods;
    job_of(two, 1).parallelism = job_of(two, 1).completions = more_pods;
    Lines ids;
    for (const auto& line : findings(two))
      ids.push_back(line.substr(0, 5));
    return ids;
  };
  CHECK(told(4'000, 1, 0, 1) == Lines{"FH024"});
  CHECK(told(4'001, 1, -1, 1) == Lines{"FH024", "FH026"});
  CHECK(told(1, 100'000, 1, 0) == Lines{"FH024"});
  CHECK(told(1, 100'001, 1, -1) == Lines{"FH024", "FH026"});
}

TEST_CASE("more tasks or cores than Flux can number", "[flux]") {
  const auto with = [](std::int64_t pods, const std::string& tasks, const std::string& cores) {
    auto one = sized(1, pods);
    annotate(one, "num-proc-per-node", tasks);
    if (!cores.empty()) annotate(one, "cores-per-task", cores);
    return findings(one);
  };
  const auto field = [](const std::string& name) {
    return "metadata.annotations[flux-framework.org/" + name + "]";
  };
  CHECK(with(2, "1000000", "").empty());
  CHECK(with(2, "1000", "1000").empty());
  CHECK(with(2147, "1000000", "").empty());
  CHECK(
      with(2148, "1000000", "") ==
      Lines{
          "FH001 " + field("num-proc-per-node") +
          R"(: Invalid value: "1000000": makes 2148000000 tasks in 2148 pods: must be no more than 2147483647)"});
  CHECK(
      with(2, "2147483647", "") ==
      Lines{
          "FH001 " + field("num-proc-per-node") +
          R"(: Invalid value: "2147483647": makes 2147483647 cores in a pod: must be no more than 1000000)"});
  CHECK(
      with(2, "2", "2147483647") ==
      Lines{
          "FH003 " + field("cores-per-task") +
          R"(: Invalid value: "2147483647": makes 4294967294 cores in a pod: must be no more than 1000000)"});
  CHECK(
      with(2, "2147483647", "2147483647") ==
      Lines{
          "FH001 " + field("num-proc-per-node") +
          R"(: Invalid value: "2147483647": makes 4611686014132420609 cores in a pod: must be no more than 1000000)"});
  // A million tasks alone would do: it is the cores that are too many.
  CHECK(with(2, "1000000", "2") ==
        Lines{"FH003 " + field("cores-per-task") +
              R"(: Invalid value: "2": makes 2000000 cores in a pod: must be no more than 1000000)"});
  CHECK(
      with(100'000, "30000", "") ==
      Lines{
          "FH001 " + field("num-proc-per-node") +
          R"(: Invalid value: "30000": makes 3000000000 tasks in 100000 pods: must be no more than 2147483647)"});
  CHECK(with(100'001, "30000", "").size() == 1); // too many pods, which is told already
}

TEST_CASE("limits that no node has", "[flux]") {
  const auto denied = [](std::string_view resource, const std::string& quantity) {
    return findings(with_limit(resource, quantity)) ==
           Lines{"FH023 " + kContainer + ".resources.limits[" + std::string(resource) +
                 "]: Invalid value: \"" + quantity +
                 "\": must be no more than 1000000: Flux numbers them one by one"};
  };
  for (const char* const resource : {"cpu", "nvidia.com/gpu"}) {
    CHECK(findings(with_limit(resource, "1M")).empty());
    for (const char* const quantity : {"1000001", "2147483648", "1e400", "9223372036854775807"})
      CHECK(denied(resource, quantity));
  }
}

// --- Devices and the pods

TEST_CASE("FH019: GPUs that tasks can't share", "[flux]") {
  auto one = with_limit("nvidia.com/gpu", "3");
  CHECK(findings(one).empty());
  annotate(one, "num-proc-per-node", "2");
  CHECK(findings(one) == Lines{"FH019 " + kContainer +
                               ".resources.limits[nvidia.com/gpu]: Invalid value: 3: must be a "
                               "multiple of num-proc-per-node (2): every task gets the same number of GPUs"});
  annotate(one, "interactive", "true");
  CHECK(findings(one).empty());
}

TEST_CASE("FH020: a DNS policy by which brokers can't find each other", "[flux]") {
  const auto names = ": brokers find each other by the cluster's names"s;
  for (const auto* policy : {"", "ClusterFirstWithHostNet"}) {
    CHECK(findings(with_dns(policy, false)).empty());
    CHECK(findings(with_dns(policy, true)).empty());
  }
  for (const auto* policy : {"ClusterFirst", "None"}) {
    CHECK(findings(with_dns(policy, false)).empty());
    CHECK(findings(with_dns(policy, true)) ==
          Lines{"FH020 " + kPod + ".dnsPolicy: Invalid value: \"" + policy +
                "\": must be ClusterFirstWithHostNet or absent when hostNetwork is true" + names});
  }
  CHECK(findings(with_dns("Default", true)).size() == 1);
  CHECK(findings(with_dns("Default", false)) == Lines{"FH020 " + kPod +
                                                      ".dnsPolicy: Invalid value: \"Default\": must be "
                                                      "ClusterFirst or absent" +
                                                      names});
}

TEST_CASE("FH023: a field of the wrong type, and a limit that is no quantity", "[flux]") {
  auto one = with_limit("cpu", "two");
  CHECK(findings(one) == Lines{"FH023 " + kContainer +
                               ".resources.limits[cpu]: Invalid value: \"two\": must be a quantity "
                               "of 0 or more, such as 2, 500m or 1e3"});
  one.type_errors.push_back(k8s::type_invalid("spec.suspend", "string", "must be true or false"));
  CHECK(findings(one) == Lines{"FH023 spec.suspend: Invalid value: \"string\": must be true or false"});
}

TEST_CASE("FH101: a restartPolicy that restarts one broker alone", "[flux]") {
  auto one = jobset();
  pod_of(one).restart_policy = "Never";
  CHECK(findings(one).empty());
  pod_of(one).restart_policy = "OnFailure";
  CHECK(findings(one) ==
        Lines{"FH101 " + kPod +
              ".restartPolicy: Invalid value: \"OnFailure\": a broker that is restarted "
              "alone can't join its instance again; Never lets JobSet's failurePolicy restart all together"});
  CHECK_FALSE(created(one).denied());
}

TEST_CASE("FH103: a view image of the user's that floats", "[flux]") {
  const auto fault =
      "should have a tag other than latest, or a digest: all brokers need the same version of Flux"s;
  CHECK(findings(annotated("view-image", "org/view:latest")) ==
        Lines{"FH103 " + setting("view-image") + ": Invalid value: \"org/view:latest\": " + fault});
  auto one = jobset();
  add_env(container_of(one), {.name = "A", .value = "b"});
  add_env(container_of(one), {.name = "FLUX_VIEW_IMAGE", .value = "org/view"});
  CHECK(findings(one) ==
        Lines{"FH103 " + kContainer + ".env[1].value: Invalid value: \"org/view\": " + fault});
  CHECK(findings(annotated("view-image", "org/view:1.2")).empty());
  CHECK(findings(annotated("view-image", "none")).empty());
  Defaults site;
  site.settings.view_image = "org/view";
  CHECK(shown(created(jobset(), site).findings).empty()); // the administrator's affair
}

TEST_CASE("all faults of a JobSet come in one answer, and nothing is changed then", "[flux]") {
  auto one = with_limit("nvidia.com/gpu", "3");
  annotate(one, "num-proc-per-node", "2");
  annotate(one, "log-level", "8");
  job_of(one).completion_mode = "NonIndexed";
  pod_of(one).restart_policy = "OnFailure";
  one.network.enable_dns_hostnames = false;
  const auto outcome = created(one);
  std::set<std::string> ids;
  for (const auto& finding : outcome.findings)
    ids.insert(rule_id(finding.rule));
  CHECK(ids == std::set<std::string>{"FH003", "FH013", "FH015", "FH019", "FH101"});
  CHECK(outcome.denied());
  CHECK(outcome.changes.empty());
}
