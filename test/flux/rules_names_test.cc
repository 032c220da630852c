#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "flux/jobsets.h"

// Rules on names and the network, and those on UPDATE and at the validating webhook.

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

using Lines = std::vector<std::string>;
using namespace std::string_literals;

constexpr auto kLabelWords =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr auto kTooLong = "must be no more than 63 characters";

k8s::JobSet named(std::string_view name) {
  auto made = jobset();
  made.name = name;
  return made;
}

Lines validated(const k8s::JobSet& jobset) { return shown(validate({.object = &jobset}, {}).findings); }

// As it is once injected, so far as it is looked at.
k8s::JobSet injected(k8s::JobSet jobset) {
  annotate(jobset, "injected", R"({"defaults":{},"set":{},"version":"0.1.0"})");
  auto& container = container_of(jobset);
  container.args = container.command;
  container.command = {"/bin/sh", "/etc/flux-config/entrypoint.sh"};
  return jobset;
}

constexpr auto kLabelField = "metadata.labels[flux-framework.org/inject]: ";

} // namespace

// Names are <jobset>-<rj>-<replica>-<index>, and for the pod -<five> (JobSet, pkg/webhooks).
TEST_CASE("FH016: a pod's name of 63 bytes is the longest", "[flux]") {
  const std::string longest(63 - "-node-0-1-xxxxx"s.size(), 'a');
  CHECK(findings(named(longest)).empty());
  const auto longer = longest + "a";
  CHECK(findings(named(longer)) ==
        Lines{"FH016 spec.replicatedJobs[0].name: Invalid value: \"node\": makes the pod's name \"" + longer +
              "-node-0-1-xxxxx\": must be no more than 63 bytes"});
}

TEST_CASE("FH016: the largest indices count", "[flux]") {
  auto one = named(kept(std::string(63 - "-node-10-100-xxxxx"s.size(), 'a')));
  one.replicated_jobs[0].replicas = 11;
  job_of(one).parallelism = job_of(one).completions = 101;
  CHECK(findings(one).empty());
  one.replicated_jobs[0].replicas = 101;
  CHECK(findings(one).size() == 1);
}

TEST_CASE("FH016: the characters that generateName adds count", "[flux]") {
  auto one = jobset();
  one.name = {};
  const std::string longest(63 - "xxxxx-node-0-1-xxxxx"s.size(), 'a');
  one.generate_name = longest;
  CHECK(findings(one).empty());
  const auto longer = longest + "a";
  one.generate_name = longer;
  CHECK(findings(one).size() == 1);
}

TEST_CASE("FH017: names of the JobSet that its Service and Jobs can't have", "[flux]") {
  CHECK(
      findings(named("3body")) ==
      Lines{
          "FH017 metadata.name: Invalid value: \"3body\": "s + kLabelWords,
          "FH017 spec.replicatedJobs[0].name: Invalid value: \"node\": makes the Job's name \"3body-node-0\": "s +
              kLabelWords});
  auto dotted = named("a.b");
  CHECK(findings(dotted).front() == "FH017 metadata.name: Invalid value: \"a.b\": "s + kLabelWords);
  dotted.network.subdomain = "net"; // still no name for a Job
  CHECK(findings(dotted).size() == 1);
  auto generated = jobset();
  generated.name = {};
  generated.generate_name = "A-";
  CHECK(findings(generated).front().starts_with("FH017 metadata.generateName: Invalid value: \"A-"));
}

TEST_CASE("FH017: a replicatedJob's name that its Jobs can't have", "[flux]") {
  CHECK(
      findings(jobset({replicated_job("Node")})) ==
      Lines{
          "FH017 spec.replicatedJobs[0].name: Invalid value: \"Node\": makes the Job's name \"js-Node-0\": "s +
          kLabelWords});
  const std::string name(60, 'a');
  const auto both = findings(jobset({replicated_job(name)}));
  REQUIRE(both.size() == 2);
  CHECK(both[0] == "FH017 spec.replicatedJobs[0].name: Invalid value: \"" + name +
                       "\": makes the Job's name \"js-" + name + "-0\": " + kTooLong);
  CHECK(both[1].starts_with("FH016 "));
}

TEST_CASE("FH017: a JobSet without any name", "[flux]") {
  CHECK(findings(named("")) ==
        Lines{"FH017 metadata.name: Required value: name or generateName is required"});
}

TEST_CASE("FH018: the subdomain is the name of a Service", "[flux]") {
  auto one = jobset();
  one.network.subdomain = "1st.net";
  CHECK(findings(one) == Lines{"FH018 spec.network.subdomain: Invalid value: \"1st.net\": "s + kLabelWords});
  const std::string longest(63, 'a');
  one.network.subdomain = longest;
  CHECK(findings(one).empty());
  const std::string longer(64, 'a');
  one.network.subdomain = longer;
  CHECK(findings(one) ==
        Lines{"FH018 spec.network.subdomain: Invalid value: \"" + longer + "\": " + kTooLong});
}

TEST_CASE("FH015 and FH102: host names that brokers need", "[flux]") {
  auto one = jobset();
  one.network.enable_dns_hostnames = one.network.publish_not_ready_addresses = true;
  CHECK(findings(one).empty());
  one.network.enable_dns_hostnames = one.network.publish_not_ready_addresses = false;
  CHECK(findings(one) == Lines{"FH015 spec.network.enableDNSHostnames: Invalid value: false: must be true or "
                               "absent: brokers find each "
                               "other by host name",
                               "FH102 spec.network.publishNotReadyAddresses: Invalid value: false: with a "
                               "readiness probe brokers can't "
                               "find each other before all are ready"});
}

// --- JobSets that are left alone

TEST_CASE("FH104: a JobSet that is being deleted", "[flux]") {
  auto one = annotated("num-proc-per-node", "0");
  one.deleting = true;
  const Lines expected{
      "FH104 metadata.deletionTimestamp: Forbidden: the JobSet is being deleted: left alone"};
  CHECK(findings(one) == expected);
  CHECK(shown(updated(one, injected(jobset())).findings) == expected); // finalizers can always be removed
  CHECK(created(one).changes.empty());
}

TEST_CASE("FH105: a JobSet that Trainer's own Flux plugin has set up", "[flux]") {
  auto one = jobset();
  one.controller = {.kind = "TrainJob", .name = "train"};
  CHECK(findings(one).empty()); // Trainer's, but without its plugin
  CHECK(created(one).selected);
  pod_of(one).init_containers.emplace() = {container("flux-installer")};
  CHECK(findings(one) ==
        Lines{"FH105 metadata.ownerReferences: Forbidden: Trainer's own Flux plugin has set up this "
              "JobSet: left alone"});
  CHECK(created(one).changes.empty());
  one.controller.kind = "Workflow";
  CHECK(findings(one).front().starts_with("FH008 "));
}

// --- UPDATE

TEST_CASE("FH021: the label can't be added later", "[flux]") {
  auto before = jobset();
  before.labels.reset();
  const auto now = jobset();
  const auto outcome = updated(now, before);
  CHECK(shown(outcome.findings) == Lines{"FH021 "s + kLabelField +
                                         "Forbidden: a JobSet that exists can't become a Flux "
                                         "cluster: delete it and create it with the label"});
  CHECK(outcome.changes.empty());
  before.labels.emplace().entries = {{kInjectLabel, "false"}};
  CHECK(updated(now, before).denied());
  CHECK_FALSE(updated(before, before).denied());
}

TEST_CASE("FH107: a setting that is changed later has no effect", "[flux]") {
  const auto before = injected(annotated("num-proc-per-node", "2"));
  auto now = injected(annotated("num-proc-per-node", "4"));
  annotate(now, "queue-policy", "easy");
  const auto fault = "has no effect on a JobSet that exists: create it again to change it"s;
  CHECK(
      shown(updated(now, before).findings) ==
      Lines{
          "FH107 metadata.annotations[flux-framework.org/num-proc-per-node]: Invalid value: \"4\": " + fault,
          "FH107 metadata.annotations[flux-framework.org/queue-policy]: Invalid value: \"easy\": " + fault});
  CHECK(shown(updated(injected(jobset()), before).findings).empty()); // what was injected after all
  CHECK(shown(updated(before, before).findings).empty());
}

TEST_CASE("FH108: a labelled JobSet that was created while fluxhook was not there", "[flux]") {
  const auto one = jobset();
  const auto outcome = updated(one, one);
  CHECK(shown(outcome.findings) == Lines{"FH108 "s + kLabelField +
                                         "Forbidden: the JobSet was created without fluxhook and "
                                         "is left alone: delete it and create it again to have it injected"});
  CHECK_FALSE(outcome.denied());
  CHECK(outcome.changes.empty());
}

// --- The validating webhook

TEST_CASE("FH022: a labelled JobSet that bypassed the mutating webhook", "[flux]") {
  const auto missing =
      " is missing: the JobSet did not pass through fluxhook's mutating webhook, or was changed after it"s;
  const auto annotation =
      "FH022 metadata.annotations[flux-framework.org/injected]: Required value: the annotation of "
      "the injection" +
      missing;
  const auto command =
      "FH022 spec.replicatedJobs[0].template.spec.template.spec.containers[0].command: Required value: "
      "fluxhook's entrypoint" +
      missing;
  CHECK(validated(jobset()) == Lines{annotation, command});
  auto unwrapped = injected(jobset());
  container_of(unwrapped).command = {"app"};
  CHECK(validated(unwrapped) == Lines{command});
  CHECK(validated(injected(jobset())).empty());
  auto unlabelled = jobset();
  unlabelled.labels.reset();
  CHECK(validated(unlabelled).empty());
}

TEST_CASE("the validating webhook says faults again, and warnings not twice", "[flux]") {
  auto one = injected(jobset());
  pod_of(one).restart_policy = "OnFailure";
  CHECK(validated(one).empty());
  job_of(one).completion_mode = "NonIndexed";
  CHECK(validated(one).size() == 1);
}
