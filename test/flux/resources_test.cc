#include "fluxhook/flux/resources.h"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flux/render_instance.h"

using namespace fluxhook;
using namespace fluxhook::flux;

namespace {

using Limits = std::vector<k8s::ResourceLimit>;

Limits cpu(std::string_view quantity) { return {{.resource = "cpu", .quantity = std::string(quantity)}}; }

Limits nvidia(std::string_view quantity) {
  return {{.resource = "nvidia.com/gpu", .quantity = std::string(quantity)}};
}

Limits operator+(Limits a, const Limits& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Settings settings(std::int32_t procs, std::optional<std::int32_t> cores_per_task = {}) {
  Settings result;
  result.num_proc_per_node = procs;
  result.cores_per_task = cores_per_task;
  return result;
}

/// "prefix*count cores/gpus" of each group.
std::string shown(const std::vector<NodeGroup>& groups) {
  std::string text;
  for (const NodeGroup& group : groups)
    text += (text.empty() ? "" : ", ") + group.prefix + "*" + std::to_string(group.count) + " " +
            std::to_string(group.cores) + "/" + std::to_string(group.gpus);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

struct Row {
  std::string_view what;
  std::vector<Job> jobs;
  Settings settings;
  std::string_view groups, run; // expected
};

Job one(std::int64_t pods, Limits limits) { return {.pods = pods, .limits = std::move(limits)}; }

const std::vector<Row>& table() {
  constexpr auto kOneEach = "-N2 -n8 -g1 -o gpu-affinity=per-task",
                 kTwoEach = "-N1 -n2 -g2 -o gpu-affinity=per-task",
                 kFourEach = "-N2 -n4 -c8 -g4 -o gpu-affinity=per-task";
  const Limits two_kinds{{"nvidia.com/gpu", "1"}, {"amd.com/gpu", "3"}};
  static const std::vector<Row> kRows{
      // CPU limits
      {"no limit", {one(1, {})}, settings(1), "js-node-0-*1 1/0", "-N1 -n1"},
      {"no limit, four tasks a pod", {one(2, {})}, settings(4), "js-node-0-*2 4/0", "-N2 -n8"},
      {"500m", {one(2, cpu("500m"))}, settings(1), "js-node-0-*2 1/0", "-N2 -n2"},
      {"1500m", {one(2, cpu("1500m"))}, settings(1), "js-node-0-*2 1/0", "-N2 -n2"},
      {"0.5", {one(2, cpu("0.5"))}, settings(1), "js-node-0-*2 1/0", "-N2 -n2"},
      {"1", {one(2, cpu("1"))}, settings(1), "js-node-0-*2 1/0", "-N2 -n2"},
      {"2", {one(2, cpu("2"))}, settings(1), "js-node-0-*2 2/0", "-N2 -n2 -c2"},
      {"1999m", {one(1, cpu("1999m"))}, settings(1), "js-node-0-*1 1/0", "-N1 -n1"},
      {"2000m", {one(1, cpu("2000m"))}, settings(1), "js-node-0-*1 2/0", "-N1 -n1 -c2"},
      {"1e1", {one(1, cpu("1e1"))}, settings(1), "js-node-0-*1 10/0", "-N1 -n1 -c10"},
      {"1k", {one(1, cpu("1k"))}, settings(1), "js-node-0-*1 1000/0", "-N1 -n1 -c1000"},
      {"0 is no limit to a node", {one(1, cpu("0"))}, settings(2), "js-node-0-*1 2/0", "-N1 -n2"},
      {"1n", {one(1, cpu("1n"))}, settings(1), "js-node-0-*1 1/0", "-N1 -n1"},
      // Tasks
      {"as many tasks as cores", {one(4, cpu("8"))}, settings(8), "js-node-0-*4 8/0", "-N4 -n32"},
      {"cores that divide", {one(4, cpu("8"))}, settings(2), "js-node-0-*4 8/0", "-N4 -n8 -c4"},
      {"cores that don't divide", {one(4, cpu("7"))}, settings(2), "js-node-0-*4 7/0", "-N4 -n8 -c3"},
      {"more tasks than cores", {one(2, cpu("2"))}, settings(6), "js-node-0-*2 6/0", "-N2 -n12"},
      {"more tasks than half a core", {one(1, cpu("500m"))}, settings(3), "js-node-0-*1 3/0", "-N1 -n3"},
      // cores-per-task
      {"set, within the limit", {one(2, cpu("8"))}, settings(2, 3), "js-node-0-*2 8/0", "-N2 -n4 -c3"},
      {"set to one", {one(2, cpu("8"))}, settings(2, 1), "js-node-0-*2 8/0", "-N2 -n4"},
      {"set, beyond the limit", {one(2, cpu("4"))}, settings(2, 4), "js-node-0-*2 8/0", "-N2 -n4 -c4"},
      {"set, without a limit", {one(2, {})}, settings(2, 4), "js-node-0-*2 8/0", "-N2 -n4 -c4"},
      // GPUs
      {"one for the only task", {one(2, nvidia("1"))}, settings(1), "js-node-0-*2 1/1", "-N2 -n2 -g1"},
      {"four for four tasks", {one(2, nvidia("4"))}, settings(4), "js-node-0-*2 4/4", kOneEach},
      {"eight for two tasks", {one(2, cpu("16") + nvidia("8"))}, settings(2), "js-node-0-*2 16/8", kFourEach},
      {"AMD's", {one(1, {{"amd.com/gpu", "2"}})}, settings(1), "js-node-0-*1 1/2", "-N1 -n1 -g2"},
      {"two kinds", {one(1, two_kinds)}, settings(2), "js-node-0-*1 2/4", kTwoEach},
      {"0 of them", {one(1, nvidia("0"))}, settings(2), "js-node-0-*1 2/0", "-N1 -n2"},
      {"as a quantity", {one(1, nvidia("2000m"))}, settings(1), "js-node-0-*1 1/2", "-N1 -n1 -g2"},
      {"other devices are none",
       {one(1, {{"gpu", "1"},
                {"nvidia.com/mig-1g.5gb", "1"},
                {"nvidia.com/gpu.shared", "1"},
                {"vpc.amazonaws.com/efa", "4"}})},
       settings(1),
       "js-node-0-*1 1/0",
       "-N1 -n1"},
      {"of an odd vendor",
       {one(1, {{"gpu.example.com/gpu", "1"}})},
       settings(1),
       "js-node-0-*1 1/1",
       "-N1 -n1 -g1"},
      // Several Jobs
      {"replicas",
       {{"node", 3, 2, cpu("4")}},
       settings(2),
       "js-node-0-*2 4/0, js-node-1-*2 4/0, js-node-2-*2 4/0",
       "-N6 -n12 -c2"},
      {"two replicatedJobs alike",
       {{"a", 1, 2, cpu("2")}, {"b", 1, 1, cpu("2")}},
       settings(1),
       "js-a-0-*2 2/0, js-b-0-*1 2/0",
       "-N3 -n3 -c2"},
      {"the smallest pod says how many cores a task gets",
       {{"a", 1, 2, cpu("8")}, {"b", 2, 1, cpu("2")}},
       settings(1),
       "js-a-0-*2 8/0, js-b-0-*1 2/0, js-b-1-*1 2/0",
       "-N4 -n4 -c2"},
      {"a pod without limit has what tasks need",
       {{"a", 1, 1, cpu("8")}, {"b", 1, 1, {}}},
       settings(2),
       "js-a-0-*1 8/0, js-b-0-*1 8/0",
       "-N2 -n4 -c4"},
      {"a limit of 0 is none there either",
       {{"a", 1, 1, cpu("8")}, {"b", 1, 1, cpu("0")}},
       settings(2),
       "js-a-0-*1 8/0, js-b-0-*1 8/0",
       "-N2 -n4 -c4"},
      {"half a core is the smallest",
       {{"a", 1, 1, cpu("8")}, {"b", 1, 1, cpu("500m")}},
       settings(1),
       "js-a-0-*1 8/0, js-b-0-*1 1/0",
       "-N2 -n2"},
      {"GPUs of other vendors, as many a task",
       {{"a", 1, 1, nvidia("2")}, {"b", 1, 1, {{"amd.com/gpu", "2"}}}},
       settings(2),
       "js-a-0-*1 2/2, js-b-0-*1 2/2",
       "-N2 -n4 -g1 -o gpu-affinity=per-task"},
  };
  return kRows;
}

} // namespace

TEST_CASE("flux run gets the words of the resources, then the user's", "[flux]") {
  const Resources resources{.nodes = 2, .tasks = 4, .cores_per_task = 3};
  Settings settings;
  CHECK(flux_run_words(resources, settings) == std::vector<std::string>{"-N2", "-n4", "-c3"});
  settings.run_options = "-n 2 --env='A=b c'";
  CHECK(flux_run_words(resources, settings) ==
        std::vector<std::string>{"-N2", "-n4", "-c3", "-n", "2", "--env=A=b c"});
  settings.run_options = "'";
  CHECK_FALSE(flux_run_words(resources, settings));
}

TEST_CASE("what R and flux run get follows from limits, tasks and pods", "[flux]") {
  for (const Row& row : table()) {
    CAPTURE(row.what);
    const TestInstance instance(row.jobs);
    std::vector<k8s::FieldError> faults;
    const Resources resources = compute_resources("js", instance.members(), row.settings, faults);
    CHECK(faults.empty());
    CHECK(shown(resources.groups) == row.groups);
    CHECK(joined(resources.run_words()) == row.run);
    CHECK(resources.lead() == "js-" + std::string(row.jobs.front().name) + "-0-0");
  }
}

namespace {

struct Fault {
  std::string_view what;
  std::vector<Job> jobs;
  std::int32_t procs;
  std::vector<std::string> texts; // expected
};

const std::string kLimits =
    "spec.replicatedJobs[0].template.spec.template.spec.containers[0].resources.limits";
const std::string kLimits1 =
    "spec.replicatedJobs[1].template.spec.template.spec.containers[0].resources.limits";

const std::vector<Fault>& fault_table() {
  static const std::vector<Fault> kFaults{
      {"three for two tasks",
       {one(1, nvidia("3"))},
       2,
       {kLimits +
        "[nvidia.com/gpu]: Invalid value: 3: must be a multiple of num-proc-per-node (2): every task gets "
        "the same number of GPUs"}},
      {"one for two tasks",
       {one(1, nvidia("1"))},
       2,
       {kLimits +
        "[nvidia.com/gpu]: Invalid value: 1: must be a multiple of num-proc-per-node (2): every task gets "
        "the same number of GPUs"}},
      {"two kinds that don't add up",
       {one(1, {{"nvidia.com/gpu", "2"}, {"amd.com/gpu", "1"}})},
       2,
       {kLimits +
        ": Invalid value: 3: must be a multiple of num-proc-per-node (2): every task gets the same number "
        "of GPUs"}},
      {"half a GPU",
       {one(1, nvidia("500m"))},
       1,
       {kLimits + R"([nvidia.com/gpu]: Invalid value: "500m": must be an integer)"}},
      {"groups that differ",
       {{"a", 1, 1, nvidia("4")}, {"b", 1, 1, nvidia("2")}},
       2,
       {kLimits1 +
        "[nvidia.com/gpu]: Invalid value: 2: must be 4 as in spec.replicatedJobs[0]: every task gets the "
        "same number of GPUs"}},
      {"a group without any",
       {{"a", 1, 1, nvidia("1")}, {"b", 1, 1, {}}},
       1,
       {kLimits1 +
        ": Invalid value: 0: must be 1 as in spec.replicatedJobs[0]: every task gets the same number of "
        "GPUs"}},
      {"a lead without any",
       {{"a", 1, 1, {}}, {"b", 1, 1, nvidia("1")}},
       1,
       {kLimits1 +
        "[nvidia.com/gpu]: Invalid value: 1: must be 0 as in spec.replicatedJobs[0]: every task gets the "
        "same number of GPUs"}},
      {"no quantities",
       {one(1, {{"cpu", "1e3m"}, {"nvidia.com/gpu", "two"}})},
       1,
       {kLimits + R"([cpu]: Invalid value: "1e3m": must be a quantity of 0 or more, such as 2, 500m or 1e3)",
        kLimits +
            R"([nvidia.com/gpu]: Invalid value: "two": must be a quantity of 0 or more, such as 2, 500m or 1e3)"}},
      {"less than nothing",
       {one(1, {{"cpu", "-1"}, {"nvidia.com/gpu", "-2"}})},
       1,
       {kLimits + R"([cpu]: Invalid value: "-1": must be a quantity of 0 or more, such as 2, 500m or 1e3)",
        kLimits +
            R"([nvidia.com/gpu]: Invalid value: "-2": must be a quantity of 0 or more, such as 2, 500m or 1e3)"}},
  };
  return kFaults;
}

} // namespace

TEST_CASE("limits that tasks can't share are faults that name the limit", "[flux]") {
  for (const Fault& row : fault_table()) {
    CAPTURE(row.what);
    const TestInstance instance(row.jobs);
    std::vector<k8s::FieldError> faults;
    static_cast<void>(compute_resources("js", instance.members(), settings(row.procs), faults));
    std::vector<std::string> texts;
    texts.reserve(faults.size());
    for (const auto& fault : faults)
      texts.push_back(fault.text());
    CHECK(texts == row.texts);
  }
}

TEST_CASE("the field path names the replicatedJob and the container by their places", "[flux]") {
  const TestInstance instance({one(1, nvidia("3"))});
  auto members = instance.members();
  members.front().job_index = 4;
  members.front().container_index = 2;
  std::vector<k8s::FieldError> faults;
  static_cast<void>(compute_resources("js", members, settings(2), faults));
  REQUIRE(faults.size() == 1);
  CHECK(faults.front().field ==
        "spec.replicatedJobs[4].template.spec.template.spec.containers[2].resources.limits[nvidia.com/gpu]");
}

TEST_CASE("an interactive instance shares its GPUs as its user says", "[flux]") {
  const TestInstance instance({{"a", 1, 1, nvidia("3")}, {"b", 1, 1, {}}});
  Settings interactive = settings(2);
  interactive.interactive = true;
  std::vector<k8s::FieldError> faults;
  const Resources resources = compute_resources("js", instance.members(), interactive, faults);
  CHECK(faults.empty());
  CHECK(shown(resources.groups) == "js-a-0-*1 2/3, js-b-0-*1 2/0");
}

TEST_CASE("a limit beyond any machine does not overflow", "[flux]") {
  const TestInstance instance(
      {one(2, cpu("8E") + nvidia("8E")), {"b", 1, 100'000, cpu("8E") + nvidia("8E")}});
  Settings most = settings(INT32_MAX, INT32_MAX);
  most.interactive = true;
  std::vector<k8s::FieldError> faults;
  const Resources resources = compute_resources("js", instance.members(), most, faults);
  CHECK(resources.nodes == 100'002);
  CHECK(resources.tasks == 100'002LL * INT32_MAX);
  CHECK(resources.groups.front().cores >= 9'000'000'000'000'000);
}
