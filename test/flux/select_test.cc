#include "flux/select.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "flux/jobsets.h"

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

using Lines = std::vector<std::string>;

k8s::ReplicatedJob of_trainer(k8s::ReplicatedJob job, std::string_view step = "trainer") {
  job.metadata.labels.emplace().entries = {{"trainer.kubeflow.org/trainjob-ancestor-step", step}};
  return job;
}

/// "replicatedJob/container" of each member, the lead's first.
Lines chosen(const k8s::JobSet& jobset) {
  Lines lines;
  for (const auto& member : created(jobset).members) {
    CHECK(&jobset.replicated_jobs[member.job_index] == member.job);
    CHECK(&member.job->job.pod.spec.containers[member.container_index] == member.container);
    lines.push_back(std::string(member.job->name) + "/" + std::string(member.container->name));
  }
  return lines;
}

constexpr auto kJobsField = "metadata.annotations[flux-framework.org/replicated-jobs]: ";
constexpr auto kContainerField = "metadata.annotations[flux-framework.org/container]: ";

} // namespace

// --- replicatedJobs

TEST_CASE("the only replicatedJob is the instance, whatever its name", "[flux]") {
  CHECK(chosen(jobset({replicated_job("workers")})) == Lines{"workers/node"});
}

TEST_CASE("of several replicatedJobs the one named node is the instance", "[flux]") {
  const auto three =
      jobset({of_trainer(replicated_job("init")), replicated_job("node"), replicated_job("other")});
  CHECK(chosen(three) == Lines{"node/node"});
}

TEST_CASE("without one named node it is the one that Trainer marks as its trainer", "[flux]") {
  const auto trainjob = jobset({of_trainer(replicated_job("dataset-initializer"), "dataset-initializer"),
                                of_trainer(replicated_job("trainer"))});
  CHECK(chosen(trainjob) == Lines{"trainer/node"});
}

TEST_CASE("the annotation chooses replicatedJobs, the lead's first, before every other rule", "[flux]") {
  auto three = jobset({replicated_job("node"), of_trainer(replicated_job("a")), replicated_job("b")});
  annotate(three, "replicated-jobs", "b, a");
  CHECK(chosen(three) == Lines{"b/node", "a/node"});
}

TEST_CASE("replicatedJobs that can't be told are a denial that lists them", "[flux]") {
  const Lines expected{
      "FH005 " + std::string(kJobsField) +
      "Required value: must name those that form the Flux instance, of \"a\", \"b\", as none "
      "of them is called \"node\""};
  CHECK(findings(jobset({replicated_job("a"), replicated_job("b")})) == expected);
  // Two trainers are none; a name is matched as a whole.
  CHECK(findings(jobset({of_trainer(replicated_job("a")), of_trainer(replicated_job("b"))})) == expected);
  CHECK(chosen(jobset({replicated_job("node2"), replicated_job("Node")})).empty());
}

TEST_CASE("a JobSet without replicatedJobs is denied", "[flux]") {
  CHECK(findings(jobset({})) ==
        Lines{"FH005 spec.replicatedJobs: Required value: a Flux instance needs at least one replicatedJob"});
}

TEST_CASE("each replicatedJob that the annotation names and that isn't there is denied", "[flux]") {
  auto two = jobset({replicated_job("a"), replicated_job("b")});
  annotate(two, "replicated-jobs", "c,a,d");
  CHECK(findings(two) ==
        Lines{"FH004 " + std::string(kJobsField) + "Not found: \"c\": the JobSet has \"a\", \"b\"",
              "FH004 " + std::string(kJobsField) + "Not found: \"d\": the JobSet has \"a\", \"b\""});
}

// --- containers

TEST_CASE("the only container runs under Flux, whatever its name", "[flux]") {
  CHECK(chosen(jobset({replicated_job("node", {container("lammps")})})) == Lines{"node/lammps"});
}

TEST_CASE("of several containers the one named node runs under Flux", "[flux]") {
  CHECK(chosen(jobset({replicated_job("node", {container("log"), container("node")})})) ==
        Lines{"node/node"});
}

TEST_CASE("the annotation chooses the container in each replicatedJob", "[flux]") {
  auto two = jobset({replicated_job("a", {container("node"), container("app")}),
                     replicated_job("b", {container("app"), container("node")})});
  annotate(two, "replicated-jobs", "a,b");
  CHECK(chosen(two) == Lines{"a/node", "b/node"});
  annotate(two, "container", "app");
  CHECK(chosen(two) == Lines{"a/app", "b/app"});
}

TEST_CASE("a container that can't be told is a denial that lists them", "[flux]") {
  CHECK(
      findings(jobset({replicated_job("node", {container("app"), container("log")})})) ==
      Lines{"FH007 " + std::string(kContainerField) +
            "Required value: must name the one that runs under Flux, of \"app\", \"log\", as none of them is "
            "called \"node\""});
}

TEST_CASE("a pod without containers is denied at its field", "[flux]") {
  CHECK(
      findings(jobset({replicated_job("node", {})})) ==
      Lines{"FH007 spec.replicatedJobs[0].template.spec.template.spec.containers: Required value: Flux needs "
            "a container to run in"});
}

TEST_CASE("the annotation's container must be in every chosen replicatedJob", "[flux]") {
  auto two = jobset({replicated_job("a", {container("app")}), replicated_job("b", {container("node")}),
                     replicated_job("c", {container("node")})});
  annotate(two, "replicated-jobs", "a,b");
  annotate(two, "container", "app");
  CHECK(findings(two) == Lines{"FH006 " + std::string(kContainerField) +
                               "Not found: \"app\": replicatedJob \"b\" has \"node\""});
}

TEST_CASE("replicatedJobs and containers that are not chosen are not looked at", "[flux]") {
  auto two = jobset({replicated_job("node", {container("node"), container("log")}),
                     replicated_job("database", {container("a"), container("b")})});
  job_of(two, 1).completion_mode = "NonIndexed";
  pod_of(two, 1).volumes.emplace().push_back({.name = "flux-install"});
  container_of(two, 0, 1).command.reset();
  container_of(two, 0, 1).args = {"-f"};
  const auto outcome = created(two);
  CHECK(shown(outcome.findings).empty());
  for (const auto& change : outcome.changes) {
    INFO(change.pointer);
    CHECK_FALSE(change.pointer.starts_with("/spec/replicatedJobs/1"));
    CHECK_FALSE(change.pointer.contains("/containers/1"));
  }
}

// --- whether a JobSet is selected at all

TEST_CASE("a JobSet is selected by its label's value", "[flux]") {
  struct Row {
    std::string_view value;
    bool selected, warned;
  };
  for (const auto& [value, selected, warned] :
       {Row{"true", true, false}, Row{"enabled", true, false}, Row{"false", false, false},
        Row{"disabled", false, false}, Row{"True", false, true}, Row{"yes", false, true},
        Row{"1", false, true}, Row{"", false, true}}) {
    INFO(value);
    auto one = jobset();
    one.labels.emplace().entries = {{kInjectLabel, value}};
    const auto outcome = created(one);
    CHECK(outcome.selected == selected);
    CHECK(outcome.changes.empty() != selected);
    CHECK(shown(outcome.findings) ==
          (warned
               ? Lines{"FH106 metadata.labels[flux-framework.org/inject]: Invalid value: \"" +
                       std::string(value) + "\": the JobSet is left alone: only true and enabled select it"}
               : Lines{}));
    CHECK_FALSE(outcome.denied());
  }
}

TEST_CASE("a JobSet without the label is left alone, however wrong it is", "[flux]") {
  auto one = annotated("num-proc-per-node", "0");
  one.labels.reset();
  CHECK(findings(one).empty());
  one.labels.emplace().entries = {{"example.com/inject", "true"}};
  CHECK(findings(one).empty());
}

TEST_CASE("a label under the prefix that is not the one that selects is warned of, with the nearest",
          "[flux]") {
  auto one = jobset();
  one.labels.emplace().entries = {{"flux-framework.org/injct", "true"},
                                  {"flux-framework.org/team", "a"},
                                  {"flux-framework.org/log-level", "4"},
                                  {"app.kubernetes.io/inject", "true"}};
  one.annotations.emplace().entries = {{kInjectLabel, "true"}};
  const Lines labels{
      "FH109 metadata.labels[flux-framework.org/injct]: Forbidden: is no label of fluxhook; did you "
      "mean flux-framework.org/inject?",
      "FH109 metadata.labels[flux-framework.org/team]: Forbidden: is no label of fluxhook: "
      "flux-framework.org/inject selects a JobSet"};
  auto lines = labels;
  lines.emplace_back(
      "FH109 metadata.annotations[flux-framework.org/inject]: Forbidden: must be a label, not an "
      "annotation");
  CHECK(shown(created(one).findings) == lines);
  CHECK_FALSE(created(one).denied());
  one.annotations.reset();
  one.labels->entries[2] = {kInjectLabel, "true"};
  CHECK(shown(created(one).findings) == Lines{labels.front()}); // the other one is somebody's own
  CHECK(created(one).selected);
  one.labels->entries = {{kInjectLabel, "true"}};
  CHECK(shown(created(one, {.label = "example.org/flux"}).findings) ==
        Lines{"FH109 metadata.labels[flux-framework.org/inject]: Forbidden: is no label of fluxhook: "
              "example.org/flux selects a JobSet"});
}

TEST_CASE("the label on a template of a JobSet that lacks it is warned of", "[flux]") {
  auto one = jobset();
  one.labels.reset();
  auto& job = one.replicated_jobs[0];
  job.metadata.labels.emplace().entries = {{kInjectLabel, "true"}};
  job.job.pod.metadata.labels.emplace().entries = {{kInjectLabel, "enabled"}};
  job.job.pod.metadata.annotations.emplace().entries = {{kInjectLabel, "true"}};
  const std::string key =
      "[flux-framework.org/inject]: Forbidden: has no effect here: must be in the JobSet's "
      "own metadata.labels";
  CHECK(shown(created(one).findings) ==
        Lines{"FH109 spec.replicatedJobs[0].template.metadata.labels" + key,
              "FH109 spec.replicatedJobs[0].template.spec.template.metadata.labels" + key,
              "FH109 spec.replicatedJobs[0].template.spec.template.metadata.annotations" + key});
  CHECK_FALSE(created(one).denied());
  CHECK_FALSE(created(one).selected);
  one.labels.emplace().entries = {{kInjectLabel, "false"}}; // decided: left alone
  CHECK(findings(one).empty());
  one.labels.reset();
  job.job.pod.metadata = {};
  for (const auto* off : {"false", "disabled"}) {
    job.metadata.labels->entries = {{kInjectLabel, off}};
    CHECK(findings(one).empty());
  }
}

TEST_CASE("the server's configuration may name another label", "[flux]") {
  const Defaults defaults{.label = "example.com/flux"};
  auto one = jobset();
  CHECK_FALSE(created(one, defaults).selected);
  one.labels.emplace().entries = {{"example.com/flux", "true"}};
  CHECK(created(one, defaults).selected);
  one.labels.emplace().entries = {{"example.com/flux", "on"}};
  CHECK(
      shown(created(one, defaults).findings) ==
      Lines{"FH106 metadata.labels[example.com/flux]: Invalid value: \"on\": the JobSet is left alone: only "
            "true and enabled select it"});
}
