#include "fluxhook/flux/rules.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flux/fields.h"
#include "flux/jobsets.h"

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

using namespace std::string_literals;

k8s::JobSet with_mount(std::string_view path) {
  auto made = jobset();
  container_of(made).volume_mounts.emplace().push_back({.name = "data", .mount_path = path});
  return made;
}

} // namespace

TEST_CASE("rules are in order, with numbers and names that nobody shares", "[flux]") {
  std::set<std::string_view> names;
  for (const auto& rule : rules()) {
    CHECK(&info(rule.rule) == &rule);
    CHECK((static_cast<unsigned>(rule.rule) > 100) == (rule.severity == Severity::kWarning));
    CHECK(names.insert(rule.name).second);
    CHECK_FALSE(rule.title.empty());
  }
  CHECK(std::ranges::is_sorted(rules(), std::ranges::less_equal{}, &RuleInfo::rule));
  CHECK(rule_id(Rule::kNumProcPerNode) == "FH001");
  CHECK(rule_id(Rule::kLabelledBefore) == "FH108");
}

TEST_CASE("a good JobSet has no finding", "[flux]") { CHECK(findings(jobset()).empty()); }

// --- Settings

TEST_CASE("FH001: num-proc-per-node", "[flux]") {
  CHECK(findings(annotated("num-proc-per-node", "0")) ==
        Lines{"FH001 " + setting("num-proc-per-node") +
              ": Invalid value: \"0\": must be greater than or equal to 1"});
}

TEST_CASE("FH002: an unknown setting, with the one that was meant", "[flux]") {
  CHECK(findings(annotated("num-procs-per-node", "2")) ==
        Lines{"FH002 " + setting("num-procs-per-node") +
              ": Forbidden: is no setting of fluxhook; did you mean flux-framework.org/num-proc-per-node?"});
  CHECK(findings(annotated("colour", "red")) ==
        Lines{"FH002 " + setting("colour") + ": Forbidden: is no setting of fluxhook"});
  CHECK(findings(annotated("", "red")) ==
        Lines{"FH002 " + setting("") + ": Forbidden: is no setting of fluxhook"});
  CHECK(findings(annotated("injct", "true")) ==
        Lines{"FH002 " + setting("injct") +
              ": Forbidden: is no setting of fluxhook; did you mean the label flux-framework.org/inject?"});
  CHECK(findings(annotated("inject", "true")) ==
        Lines{"FH002 " + setting("inject") + ": Forbidden: must be a label, not an annotation"});
}

TEST_CASE("FH002: a setting among the labels, where nobody would read it", "[flux]") {
  auto one = jobset();
  add_label(one, "flux-framework.org/num-proc-per-node", "2");
  add_label(one, "flux-framework.org/team", "hpc"); // somebody's own
  CHECK(findings(one) ==
        Lines{"FH002 metadata.labels[flux-framework.org/num-proc-per-node]: Forbidden: must be an "
              "annotation, not a label"});
}

TEST_CASE("FH002: what is unknown is told though its value is no string", "[flux]") {
  auto one = jobset();
  Lines expected;
  for (const auto* field :
       {"metadata.labels[flux-framework.org/log-level]", "metadata.labels[flux-framework.org/team]",
        "metadata.annotations[flux-framework.org/colour]", "metadata.annotations[flux-framework.org/pmi]",
        "metadata.annotations[flux-framework.org/injected]", "metadata.annotations[example.com/colour]",
        "metadata.annotations", "spec.suspend"}) {
    one.type_errors.push_back(k8s::type_invalid(field, "number", "must be something else"));
    expected.push_back("FH023 "s + field + ": Invalid value: \"number\": must be something else");
  }
  expected.push_back("FH002 " + setting("colour") + ": Forbidden: is no setting of fluxhook");
  expected.emplace_back(
      "FH002 metadata.labels[flux-framework.org/log-level]: Forbidden: must be an annotation, not a label");
  CHECK(findings(one) == expected);
}

TEST_CASE("FH003: a malformed setting, at its annotation or variable", "[flux]") {
  const auto policies =
      ": Unsupported value: \"lifo\": supported values: \"fcfs\", \"easy\", \"conservative\", \"hybrid\""s;
  CHECK(findings(annotated("queue-policy", "lifo")) == Lines{"FH003 " + setting("queue-policy") + policies});
  auto one = jobset();
  add_env(container_of(one), {.name = "A", .value = "b"});
  add_env(container_of(one), {.name = "FLUX_QUEUE_POLICY", .value = "lifo"});
  CHECK(findings(one) == Lines{"FH003 " + kContainer + ".env[1].value" + policies});
}

TEST_CASE("FH025: an annotation injected that somebody wrote", "[flux]") {
  CHECK(findings(annotated("injected", "yes")) ==
        Lines{"FH025 " + setting("injected") +
              ": Invalid value: \"yes\": must be an object with defaults, set and "
              "version, as fluxhook writes it; remove it to have it written anew"});
  CHECK(findings(annotated("injected", R"({"defaults":{},"set":{"pmi":"x y"},"version":"1"})"))[0].contains(
      "pmi: Unsupported value: \"x y\""));
}

// --- What the injection needs for itself

TEST_CASE("FH008: the installer's name, among init containers and containers", "[flux]") {
  auto one = jobset({replicated_job("node", {container(), container("flux-installer")})});
  pod_of(one).init_containers.emplace() = {container("fetch"), container("flux-installer")};
  const auto fault = ": Invalid value: \"flux-installer\": is the name of fluxhook's init container"s;
  CHECK(findings(one) == Lines{"FH008 " + kPod + ".initContainers[1].name" + fault,
                               "FH008 " + kPod + ".containers[1].name" + fault});
}

TEST_CASE("FH009: each volume name of the injection", "[flux]") {
  auto one = jobset();
  auto& volumes = pod_of(one).volumes.emplace();
  volumes.push_back({.name = "data"});
  Lines expected;
  for (const std::string_view name :
       {"flux-install", "spack-install", "shared-memory", "flux-entrypoint", "flux-curve"}) {
    expected.push_back("FH009 " + kPod + ".volumes[" + std::to_string(volumes.size()) +
                       "].name: Invalid value: \"" + std::string(name) +
                       "\": is the name of one of fluxhook's volumes");
    volumes.push_back({.name = name});
  }
  CHECK(findings(one) == expected);
}

TEST_CASE("FH010: a mount where the injection mounts, however the path is written", "[flux]") {
  struct Row {
    std::string_view path, taken;
  };
  for (const auto& [path, taken] :
       {Row{"/mnt/flux", "/mnt/flux"}, Row{"/mnt/flux/", "/mnt/flux"}, Row{"/mnt/flux/x/y", "/mnt/flux"},
        Row{"/mnt//flux", "/mnt/flux"}, Row{"/mnt/./flux", "/mnt/flux"}, Row{"/mnt/x/../flux", "/mnt/flux"},
        Row{"mnt/flux", "/mnt/flux"}, Row{"/opt/software", "/opt/software"},
        Row{"/etc/flux-config", "/etc/flux-config"}, Row{"/curve", "/curve"}}) {
    CHECK(findings(with_mount(path)) ==
          Lines{"FH010 " + kContainer + ".volumeMounts[0].mountPath: Invalid value: \"" + std::string(path) +
                "\": must not be " + std::string(taken) + " or below it: the injection mounts there"});
  }
  for (const auto* path : {"/", "/mnt", "/mnt/flux2", "/mnt/flux-data", "/opt", "/opt/software.old", "/etc",
                           "/curves", "/dev/shm", "/dev/shm/x", "/x/mnt/flux", "/..", ""})
    CHECK(findings(with_mount(path)).empty());
}

TEST_CASE("FH010: without a view /opt/software is the image's own", "[flux]") {
  auto one = with_mount("/opt/software");
  annotate(one, "view-image", "none");
  CHECK(findings(one).empty());
}

TEST_CASE("FH011: a variable that tells a pod who it is", "[flux]") {
  const auto fault = "must not be set: it tells the pod which broker it is"s;
  auto one = jobset();
  add_env(container_of(one), {.name = "FLUXHOOK_JOB", .source = k8s::EnvVar::Source::kFieldRef});
  add_env(container_of(one), {.name = "JOB_COMPLETION_INDEX", .value = "0"});
  CHECK(findings(one) ==
        Lines{"FH011 " + kContainer + ".env[0].name: Invalid value: \"FLUXHOOK_JOB\": " + fault,
              "FH011 " + kContainer + ".env[1].name: Invalid value: \"JOB_COMPLETION_INDEX\": " + fault});
  // From the pod's annotation, as many manifests have it, it is what the Job controller would set.
  auto two = jobset();
  add_env(container_of(two), {.name = "JOB_COMPLETION_INDEX", .source = k8s::EnvVar::Source::kFieldRef});
  CHECK(findings(two).empty());
}

TEST_CASE("names that are reserved are found in members of the instance alone, and not once it is injected",
          "[flux]") {
  auto one = jobset({replicated_job("node"), replicated_job("other")});
  pod_of(one, 1).volumes.emplace().push_back({.name = "flux-curve"});
  CHECK(findings(one).empty());
  pod_of(one, 0).volumes.emplace().push_back({.name = "flux-curve", .secret = "js-flux-curve"});
  CHECK(findings(one).size() == 1);
  annotate(one, "injected", R"({"defaults":{},"set":{},"version":"0.1.0"})");
  CHECK(findings(one).empty());
}
