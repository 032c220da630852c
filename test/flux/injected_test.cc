#include "fluxhook/base/version.h"
#include "fluxhook/flux/injected.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "flux/jobsets.h"
#include "fluxhook/flux/setting_table.h"

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

std::size_t row_of(std::string_view name) {
  const auto* row = find_setting(name);
  REQUIRE(row != nullptr);
  return static_cast<std::size_t>(row - setting_table().data());
}

// What was injected, as docs/architecture.md has it: keys sorted, no white space, only what has a value.
constexpr std::string_view kPlain =
    R"({"defaults":{"affinity":"true","complete-on":"all","connect-timeout":"5s","interactive":"false",)"
    R"("log-level":"4","network-device":"eth0","num-proc-per-node":"1","pmi":"auto","queue-policy":"fcfs",)"
    R"("view-image":"ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"},"set":{},"version":"1.2.3"})";
constexpr std::string_view kSet =
    R"({"defaults":{"complete-on":"all","connect-timeout":"5s","interactive":"false","log-level":"4",)"
    R"("network-device":"eth0","num-proc-per-node":"1","pmi":"auto","queue-policy":"fcfs",)"
    R"("view-image":"ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"},"set":{"affinity":"false",)"
    R"("cores-per-task":"2","replicated-jobs":"b,a","run-options":"--env=A=\"ä\" -v"},"version":"1.2.3"})";

Injected with_settings() {
  Injected injected{.version = "1.2.3"};
  injected.settings.affinity = false;
  injected.settings.cores_per_task = 2;
  injected.settings.replicated_jobs = {"b", "a"};
  injected.settings.run_options = R"(--env=A="ä" -v)";
  for (const auto* name : {"affinity", "cores-per-task", "replicated-jobs", "run-options"})
    injected.set.set(row_of(name));
  return injected;
}

constexpr std::string_view kPointer = "/metadata/annotations/flux-framework.org~1injected";

bool writes_annotation(const Outcome& outcome) {
  return std::ranges::contains(outcome.changes, kPointer, &Change::pointer);
}

/// The annotation that the creation of a JobSet gives it.
std::string annotation_of(const k8s::JobSet& jobset, const Defaults& defaults = {}) {
  const auto outcome = created(jobset, defaults);
  const auto added = std::ranges::find(outcome.changes, "/metadata/annotations/flux-framework.org~1injected",
                                       &Change::pointer);
  REQUIRE(added != outcome.changes.end());
  return std::get<std::string>(added->value);
}

Defaults site() {
  Defaults defaults;
  defaults.settings.view_image = "registry.site/view:7";
  defaults.settings.network_device = "hsn0";
  defaults.settings.queue_policy = "easy";
  return defaults;
}

k8s::JobSet with_env(std::string_view name, std::string_view value) {
  auto made = jobset();
  add_env(container_of(made), {.name = name, .value = value});
  return made;
}

Origin origin(const Outcome& outcome, std::string_view name) { return outcome.origins[row_of(name)]; }

std::string fault(std::string_view text) {
  const auto parsed = parse_injected(text);
  INFO(text);
  REQUIRE_FALSE(parsed);
  return parsed.error().text();
}

} // namespace

// --- The annotation's text

TEST_CASE("the annotation injected is canonical JSON", "[flux]") {
  CHECK(format_injected({.version = "1.2.3"}) == kPlain);
  CHECK(format_injected(with_settings()) == kSet);
}

TEST_CASE("the annotation injected is read as it was written", "[flux]") {
  for (const auto& injected : {Injected{.version = "1.2.3"}, with_settings()}) {
    const auto parsed = parse_injected(format_injected(injected));
    REQUIRE(parsed);
    CHECK(parsed->version == injected.version);
    CHECK(parsed->settings == injected.settings);
    CHECK(parsed->set == injected.set);
  }
}

TEST_CASE("run options that were set to nothing stay set", "[flux]") {
  auto one = annotated("run-options", "");
  const auto text = annotation_of(one);
  CHECK(text.contains(R"("set":{"run-options":""})"));
  annotate(one, "injected", text);
  const auto again = created(one);
  CHECK_FALSE(writes_annotation(again));
}

TEST_CASE("a setting that another version wrote into injected is passed over and stays there", "[flux]") {
  const auto injected =
      parse_injected(R"({"defaults":{"colour":"red"},"set":{"log-level":"7"},"version":"99"})");
  REQUIRE(injected.has_value());
  CHECK(injected->settings.log_level == 7);
}

TEST_CASE("a hand-written annotation injected is refused with what is wrong with it", "[flux]") {
  constexpr auto kShape = "must be an object with defaults, set and version, as fluxhook writes it";
  constexpr auto kObjects = "must have the objects defaults and set";
  for (const auto* text :
       {"", "x", "true", "null", "[]", "{}", R"({"version":"1"})", R"({"defaults":{},"set":{}})",
        R"({"defaults":{},"set":{},"version":1})", R"({"defaults":{},"set":{},"version":"1",)",
        R"({"defaults":{},"set":{},"version":"1","more":1})",
        "{\"defaults\":{},\"set\":{},\"version\":\"\xff\"}"})
    CHECK(fault(text) == kShape);
  CHECK(fault(R"({"defaults":[],"set":{},"version":"1"})") == kObjects);
  CHECK(fault(R"({"defaults":{},"set":"","version":"1"})") == kObjects);
  CHECK(fault(R"({"defaults":{"colour":"red"},"set":{},"version":")" + std::string(kVersion) + "\"}") ==
        "colour: is no setting with a text value");
  CHECK(fault(R"({"defaults":{},"set":{"log-level":4},"version":"1"})") ==
        "log-level: is no setting with a text value");
  CHECK(fault(R"({"defaults":{},"set":{"log-level":null},"version":"1"})") ==
        "log-level: is no setting with a text value");
  CHECK(fault(R"({"defaults":{"num-proc-per-node":"0"},"set":{},"version":"1"})") ==
        "num-proc-per-node: Invalid value: \"0\": must be greater than or equal to 1");
  CHECK(fault(R"({"defaults":{},"set":{"network-device":"a'; reboot #"},"version":"1"})")
            .starts_with("network-device: Invalid value"));
  CHECK(fault("{\"defaults\":" + std::string(100'000, '[')) == kShape);
}

// --- Where a setting's value comes from

TEST_CASE("of the sources of a setting the higher one counts", "[flux]") {
  auto one = jobset();
  CHECK(created(one).settings.queue_policy == "fcfs");
  CHECK(created(one, site()).settings.queue_policy == "easy");
  CHECK(origin(created(one, site()), "queue-policy") == Origin::kDefault);

  Injected earlier{.version = "0.0.1"};
  earlier.settings.queue_policy = "conservative";
  annotate(one, "injected", format_injected(earlier));
  CHECK(created(one, site()).settings.queue_policy == "conservative");
  CHECK(origin(created(one, site()), "queue-policy") == Origin::kInjected);

  add_env(container_of(one), {.name = "FLUX_QUEUE_POLICY", .value = "hybrid"});
  CHECK(created(one, site()).settings.queue_policy == "hybrid");
  CHECK(origin(created(one, site()), "queue-policy") == Origin::kEnv);

  annotate(one, "queue-policy", "fcfs");
  CHECK(created(one, site()).settings.queue_policy == "fcfs");
  CHECK(origin(created(one, site()), "queue-policy") == Origin::kAnnotation);
}

TEST_CASE("each of the three variables sets its setting", "[flux]") {
  const auto image = with_env("FLUX_VIEW_IMAGE", "none");
  CHECK(created(image, site()).settings.view_image == "none");
  const auto device = with_env("FLUX_NETWORK_DEVICE", "ib0");
  CHECK(created(device, site()).settings.network_device == "ib0");
  const auto policy = with_env("FLUX_QUEUE_POLICY", "hybrid");
  CHECK(created(policy, site()).settings.queue_policy == "hybrid");
}

TEST_CASE("only a literal value counts, and only in the lead's container", "[flux]") {
  using Source = k8s::EnvVar::Source;
  for (const auto source : {Source::kFieldRef, Source::kResourceFieldRef, Source::kOther}) {
    auto one = jobset();
    add_env(container_of(one), {.name = "FLUX_QUEUE_POLICY", .source = source});
    CHECK(created(one).settings.queue_policy == "fcfs");
    CHECK(findings(one).empty());
  }
  auto two = jobset({replicated_job("a", {container("node"), container("log")}), replicated_job("b")});
  annotate(two, "replicated-jobs", "a,b");
  for (auto* other : {&container_of(two, 0, 1), &container_of(two, 1)})
    add_env(*other, {.name = "FLUX_QUEUE_POLICY", .value = "easy"});
  CHECK(created(two).settings.queue_policy == "fcfs");
}

TEST_CASE("what a user set is told apart from what the server set", "[flux]") {
  auto one = with_env("FLUX_VIEW_IMAGE", "none");
  annotate(one, "queue-policy", "easy"); // the site's value, but asked for
  const auto parsed = parse_injected(annotation_of(one, site()));
  REQUIRE(parsed);
  for (std::size_t i = 0; i < kSettingCount; ++i)
    CHECK(parsed->set[i] == (i == row_of("view-image") || i == row_of("queue-policy")));
  CHECK(parsed->settings.network_device == "hsn0");
}

TEST_CASE("an object created again keeps its settings when the server's defaults have changed", "[flux]") {
  auto one = annotated("num-proc-per-node", "2");
  const auto first = created(one, site());
  annotate(one, "injected", annotation_of(one, site()));
  Defaults later = site();
  later.settings.view_image = "registry.site/view:8";
  later.settings.shm_size = "1Gi"; // there was none then
  const auto again = created(one, later);
  CHECK(again.settings == first.settings);
  CHECK_FALSE(writes_annotation(again));
}

TEST_CASE("what its user changed or took back counts when an object is created again", "[flux]") {
  auto first = annotated("num-proc-per-node", "2");
  annotate(first, "queue-policy", "hybrid");
  const auto text = annotation_of(first);
  auto again = annotated("num-proc-per-node", "4"); // and no policy any more
  annotate(again, "injected", text);
  const auto outcome = created(again);
  CHECK(outcome.settings.num_proc_per_node == 4);
  CHECK(outcome.settings.queue_policy == "fcfs");
  const auto change = std::ranges::find(outcome.changes, "/metadata/annotations/flux-framework.org~1injected",
                                        &Change::pointer);
  REQUIRE(change != outcome.changes.end());
  CHECK(change->replace);
  CHECK(std::get<std::string>(change->value).contains(R"("set":{"num-proc-per-node":"4"})"));
}

TEST_CASE("an annotation that another version wrote for the same settings stays as it is", "[flux]") {
  auto one = jobset();
  annotate(one, "injected", format_injected({.version = "0.0.1"}));
  const auto outcome = created(one);
  CHECK_FALSE(writes_annotation(outcome));
}
