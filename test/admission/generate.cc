#include "generate.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fluxhook::test {
namespace {

using nlohmann::json;

class Generator {
public:
  explicit Generator(std::uint32_t seed) : random_(seed), limits_(maybe()) {}

  json jobset() {
    json object = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"}, {"kind", "JobSet"}};
    object["metadata"] = {{"name", "js"}, {"namespace", "team-a"}};
    object["metadata"]["labels"] = {{"flux-framework.org/inject", maybe(4) ? "enabled" : "true"}};
    if (maybe()) object["metadata"]["labels"]["team"] = "hpc";
    if (maybe(3)) object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "lq";
    auto& jobs = object["spec"]["replicatedJobs"] = json::array();
    const int count = pick(1, 3);
    for (int i = 0; i < count; ++i)
      jobs.push_back(replicated_job("rj" + std::to_string(i)));
    annotations(object, count);
    if (maybe(3)) object["spec"]["suspend"] = maybe();
    if (maybe(3)) object["spec"]["network"] = {{"subdomain", "net"}};
    if (maybe(3)) object["spec"]["network"]["enableDNSHostnames"] = true;
    if (maybe(3)) object["spec"]["failurePolicy"] = {{"maxRestarts", 3}};
    if (maybe(4)) object["spec"]["successPolicy"] = {{"operator", "Any"}, {"targetReplicatedJobs", {"rj0"}}};
    return object;
  }

private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool maybe(int in = 2) { return pick(1, in) == 1; }

  void annotations(json& object, int jobs) {
    json all = json::object();
    const auto set = [&](std::string_view name, std::vector<std::string_view> values) {
      const auto value = values[static_cast<std::size_t>(pick(0, static_cast<int>(values.size()) - 1))];
      if (maybe(3)) all["flux-framework.org/" + std::string(name)] = value;
    };
    set("num-proc-per-node", {"1", "2", "16"});
    set("view-image", {"none", "registry.example/view:1.2",
                       "ghcr.io/flux/view@sha256:"
                       "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"});
    set("network-device", {"eth0", "ib0"});
    set("queue-policy", {"fcfs", "easy", "conservative", "hybrid"});
    set("interactive", {"true", "false"});
    set("pmi", {"auto", "simple,pmix", "off"});
    set("run-options", {"-o cpu-affinity=per-task", "--env='A=b c' -v"});
    set("cores-per-task", {"1", "4"});
    set("topology", {"kary:2", "binomial"});
    set("curve-secret", {"my-curve"});
    set("shm-size", {"1Gi", "512Mi"});
    set("affinity", {"true", "false"});
    set("complete-on", {"all", "leader"});
    if (jobs > 1) all["flux-framework.org/replicated-jobs"] = maybe() ? "rj1, rj0" : "rj0";
    if (maybe(3)) all["example.com/note"] = "line\none \"two\" \\ three \u00e4\u6f22";
    if (!all.empty()) object["metadata"]["annotations"] = all;
  }

  json replicated_job(std::string name) {
    json job = {{"name", std::move(name)}};
    if (maybe()) job["replicas"] = pick(1, 3);
    auto& spec = job["template"]["spec"];
    const int pods = pick(1, 4);
    if (maybe()) spec["parallelism"] = pods;
    if (maybe()) spec["completions"] = pods;
    if (spec.contains("completions") && !spec.contains("parallelism") && maybe()) spec["parallelism"] = pods;
    if (maybe(3)) spec["completionMode"] = "Indexed";
    if (maybe(3)) spec["backoffLimit"] = pick(0, 6);
    if (maybe(3)) job["template"]["metadata"]["labels"] = {{"tier", "compute"}};
    if (maybe(3)) spec["template"]["metadata"]["annotations"] = {{"a/b~c", "d"}};
    spec["template"]["spec"] = pod();
    return job;
  }

  json pod() {
    json pod;
    pod["containers"] = json::array({container("node")});
    if (maybe(3)) pod["containers"].push_back(container("sidecar"));
    if (maybe(3)) pod["initContainers"] = json::array({container("fetch")});
    if (maybe(3)) pod["restartPolicy"] = maybe() ? "Never" : "OnFailure";
    if (maybe(4)) pod["hostNetwork"] = true;
    if (maybe(3)) pod["nodeSelector"] = {{"kubernetes.io/arch", maybe() ? "arm64" : "amd64"}};
    if (maybe(3)) pod["tolerations"] = json::array({{{"key", "gpu"}, {"operator", "Exists"}}});
    if (maybe(3)) pod["securityContext"] = {{"runAsNonRoot", true}, {"runAsUser", 1000}};
    if (maybe(3)) pod["terminationGracePeriodSeconds"] = pick(1, 600);
    if (maybe(3)) affinity(pod);
    volumes(pod);
    return pod;
  }

  void affinity(json& pod) {
    auto& affinity = pod["affinity"] = json::object();
    if (maybe()) affinity["nodeAffinity"] = json::object();
    if (maybe()) return;
    auto& anti = affinity["podAntiAffinity"] = json::object();
    if (maybe()) return;
    anti["preferredDuringSchedulingIgnoredDuringExecution"] = json::array(
        {{{"weight", 1}, {"podAffinityTerm", {{"topologyKey", "zone"}, {"labelSelector", json::object()}}}}});
  }

  void volumes(json& pod) {
    if (maybe()) return;
    pod["volumes"] = json::array({{{"name", "data"}, {"emptyDir", json::object()}}});
    auto& mounts = pod["containers"][0]["volumeMounts"] =
        json::array({{{"name", "data"}, {"mountPath", "/data"}}});
    if (maybe()) {
      pod["volumes"].push_back({{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}});
      mounts.push_back({{"name", "shm"}, {"mountPath", maybe() ? "/dev/shm" : "/dev/shm/"}});
    }
  }

  json container(std::string name) {
    json container = {{"name", std::move(name)}, {"image", "app:1"}};
    if (limits_) limits(container);
    if (maybe(5)) return container;
    container["command"] = json::array({"bash", "-c", "a 'b' \"c\" $$ * \n -x"});
    if (maybe()) container["args"] = json::array({"", "--flag", "\u00e4", "a b"});
    if (maybe(6)) container["args"] = json::array();
    if (maybe(3)) container["env"] = json::array({{{"name", "A"}, {"value", "b"}}});
    if (maybe(3)) container["securityContext"] = {{"allowPrivilegeEscalation", false}, {"runAsUser", 4242}};
    return container;
  }

  void limits(json& container) {
    container["resources"]["limits"] = {{"cpu", maybe() ? json("1500m") : json(8)}, {"nvidia.com/gpu", 16}};
  }

  std::mt19937 random_;
  bool limits_; // in all containers or in none: tasks share GPUs evenly
};

} // namespace

json generate_jobset(std::uint32_t seed) { return Generator(seed).jobset(); }

} // namespace fluxhook::test
