#include "fluxhook/flux/render.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "flux/render_instance.h"

using namespace fluxhook;
using namespace fluxhook::flux;
using namespace std::string_view_literals;

namespace {

RenderInput input(const TestInstance& instance) {
  return {.jobset_name = "js", .name_space = "ns", .subdomain = "js", .members = instance.members()};
}

std::string file(const RenderInput& in, const std::string& name) {
  const auto files = render_files(in);
  if (!files) return "error: " + files.error().text();
  return files->at(name);
}

/// The rest of the line of `text` that begins with `start`.
std::string line(const std::string& text, std::string_view start) {
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    if (one.starts_with(start)) return one.substr(start.size());
  }
  return "no such line in: " + text;
}

/// The value of the assignment `name=` in a script, which may share its line with others.
std::string assigned(const std::string& text, std::string_view name) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.starts_with(name)) return word.substr(name.size());
  }
  return "no such assignment in: " + text;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string error(const RenderInput& in) {
  const auto files = render_files(in);
  return files ? "none" : files.error().text();
}

} // namespace

TEST_CASE("the ConfigMap holds five files, the same for the same input", "[flux]") {
  const TestInstance instance({{.pods = 2}});
  const auto files = render_files(input(instance));
  REQUIRE(files);
  std::vector<std::string> names;
  for (const auto& [name, text] : *files)
    names.push_back(name);
  CHECK(names == std::vector<std::string>{"R", "broker.toml", "entrypoint.sh", "init.sh", "job.sh"});
  CHECK(render_files(input(instance)).value() == *files);
}

TEST_CASE("brokers bind to the device, and to all with hostNetwork", "[flux]") {
  TestInstance instance({{.name = "a"}, {.name = "b"}});
  RenderInput in = input(instance);
  CHECK(line(file(in, "broker.toml"), "default_bind = ") == R"("tcp://eth0:%p")");
  in.settings.network_device = "net%1";
  CHECK(line(file(in, "broker.toml"), "default_bind = ") == R"("tcp://net%%1:%p")");
  instance.pod(1).host_network = true;
  CHECK(line(file(input(instance), "broker.toml"), "default_bind = ") == R"("tcp://*:%p")");
}

TEST_CASE("brokers connect by the names of subdomain, namespace and cluster", "[flux]") {
  const TestInstance instance({{}});
  RenderInput in = input(instance);
  in.subdomain = "sub";
  in.cluster_domain = "k8s.example.com";
  CHECK(line(file(in, "broker.toml"), "default_connect = ") == R"("tcp://%h.sub.ns.svc.k8s.example.com:%p")");
}

TEST_CASE("the tree is flat up to 256 brokers, and kary:32 above, unless it is set", "[flux]") {
  const auto topo = [](std::int64_t pods, const std::string& set) {
    const TestInstance instance({{.pods = pods}});
    RenderInput in = input(instance);
    in.settings.topology = set;
    return line(file(in, "broker.toml"), "topo = ");
  };
  CHECK(topo(1, "") == R"("kary:0")");
  CHECK(topo(256, "") == R"("kary:0")");
  CHECK(topo(257, "") == R"("kary:32")");
  CHECK(topo(2, "binomial") == R"("binomial")");
}

TEST_CASE("hosts are tables of hostlists in TOML", "[flux]") {
  const TestInstance instance({{.pods = 1500}, {.name = "io", .replicas = 2}});
  CHECK(line(file(input(instance), "broker.toml"), "hosts = ") ==
        R"([{ host = "js-node-0-[0-999]" }, { host = "js-node-0-[1000-1499],js-io-[0-1]-0" }])");
}

TEST_CASE("grace and kill timeout follow the shortest grace period of the pods", "[flux]") {
  struct Row {
    std::optional<std::int64_t> first, second;
    std::string_view grace, kill;
  };
  constexpr Row kRows[] = {
      {{}, {}, "22", R"("15s")"},  {60, 60, "52", R"("30s")"}, {600, {}, "22", R"("15s")"},
      {600, 61, "53", R"("30s")"}, {9, {}, "1", R"("4s")"},    {1, 1, "1", R"("1s")"},
      {0, 0, "1", R"("1s")"},
  };
  for (const auto& [first, second, grace, kill] : kRows) {
    TestInstance instance({{.name = "a"}, {.name = "b"}});
    instance.pod(0).termination_grace_seconds = first;
    instance.pod(1).termination_grace_seconds = second;
    CHECK(assigned(file(input(instance), "entrypoint.sh"), "grace=") == grace);
    CHECK(line(file(input(instance), "broker.toml"), "kill-timeout = ") == kill);
  }
}

TEST_CASE("the entrypoint knows the instance", "[flux]") {
  const TestInstance instance({{.name = "a", .replicas = 2, .pods = 3}, {.name = "b"}});
  RenderInput in = input(instance);
  in.public_key = "gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V";
  const std::string text = file(in, "entrypoint.sh");
  CHECK(assigned(text, "lead=") == "'js-a-0-0'");
  CHECK(contains(text, "groups='js-a 2 3\njs-b 1 1'"));
  CHECK(assigned(text, "nodes=") == "7");
  CHECK(assigned(text, "cores=") == "1");
  CHECK(assigned(text, "gpu_affinity=") == "off");
  CHECK(assigned(text, "interactive=") == "false");
  CHECK(assigned(text, "with_view=") == "true");
  CHECK(assigned(text, "jobset=") == "'js'");
  CHECK(assigned(text, "curve_secret=") == "'js-flux-curve'");
  CHECK(assigned(text, "public_key=") == "'gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V'");
}

TEST_CASE("settings reach the entrypoint", "[flux]") {
  const TestInstance instance({{.limits = {{"nvidia.com/gpu", "1"}, {"cpu", "6"}}}});
  RenderInput in = input(instance);
  in.settings.view_image = "none";
  in.settings.curve_secret = "mine";
  in.settings.pmi = "pmix";
  in.settings.connect_timeout = "1m";
  in.settings.log_level = 7;
  const std::string text = file(in, "entrypoint.sh");
  CHECK(assigned(text, "cores=") == "6");
  CHECK(assigned(text, "gpu_affinity=") == "on");
  CHECK(assigned(text, "with_view=") == "false");
  CHECK(assigned(text, "curve_secret=") == "'mine'");
  CHECK(assigned(text, "public_key=") == "''");
  CHECK(line(text, "    pmi=") == "'pmix'");
  CHECK(contains(text, "connect_timeout=\"'1m' -Slog-stderr-level=7 "));
}

TEST_CASE("where pods differ in cores, none binds to them", "[flux]") {
  const TestInstance instance(
      {{.name = "a", .limits = {{"cpu", "2"}}}, {.name = "b", .limits = {{"cpu", "4"}}}});
  CHECK(assigned(file(input(instance), "entrypoint.sh"), "cores=") == "0");
}

TEST_CASE("an instance is interactive when it is told so, or has no command", "[flux]") {
  const auto interactive = [](const TestInstance& instance, bool set = false) {
    RenderInput in = input(instance);
    in.settings.interactive = set;
    return assigned(file(in, "entrypoint.sh"), "interactive=");
  };
  using Words = std::vector<std::string_view>;
  TestInstance instance({{}, {.name = "b"}});
  CHECK(interactive(instance) == "false");
  CHECK(interactive(instance, true) == "true");
  instance.container(0).command.reset();
  CHECK(interactive(instance) == "true");
  instance.container(0).command = Words{};
  CHECK(interactive(instance) == "true");
  instance.container(0).args = Words{"a"};
  CHECK(interactive(instance) == "false");
  // As the webhook leaves them.
  instance.container(0).command = Words{"/bin/sh", "/etc/flux-config/entrypoint.sh"};
  CHECK(interactive(instance) == "false");
  instance.container(0).args.reset();
  CHECK(interactive(instance) == "true");
}

TEST_CASE("flux run gets the instance's words, then the user's", "[flux]") {
  const TestInstance instance({{.pods = 2, .limits = {{"cpu", "4"}, {"nvidia.com/gpu", "2"}}}});
  RenderInput in = input(instance);
  in.settings.num_proc_per_node = 2;
  CHECK(contains(file(in, "job.sh"), " '-N2' '-n4' '-c2' '-g1' '-o' 'gpu-affinity=per-task'"));
  in.settings.run_options = R"(-o verbose=2 --env='X=a b' "it's")";
  CHECK(contains(file(in, "job.sh"),
                 R"( '-o' 'gpu-affinity=per-task' '-o' 'verbose=2' '--env=X=a b' 'it'\''s')"));
  in.settings.run_options = "-o 'x";
  CHECK(error(in) == "run-options: byte 3: the quote ' is never closed");
}

TEST_CASE("variables of the downward API are named once, our own not at all", "[flux]") {
  using Source = k8s::EnvVar::Source;
  TestInstance instance({{}, {.name = "b"}});
  const std::string none = line(file(input(instance), "entrypoint.sh"), "    printf '%s\\n' FLUXHOOK_JOB ");
  CHECK(none == "JOB_COMPLETION_INDEX HOSTNAME  >\"$dir/pod-env\"");
  instance.container(0).env = {{"A", "1", Source::kLiteral},
                               {"POD_IP", "", Source::kFieldRef},
                               {"FLUXHOOK_JOB", "", Source::kFieldRef},
                               {"S", "", Source::kOther}};
  instance.container(1).env = {{"POD_IP", "", Source::kFieldRef}, {"LIMIT", "", Source::kResourceFieldRef}};
  CHECK(line(file(input(instance), "entrypoint.sh"), "    printf '%s\\n' FLUXHOOK_JOB ") ==
        "JOB_COMPLETION_INDEX HOSTNAME 'POD_IP' 'LIMIT' >\"$dir/pod-env\"");
  instance.container(1).env = {{"A\nB", "", Source::kFieldRef}};
  CHECK(error(input(instance)).starts_with(R"(env "A\nB": a valid environment variable name)"));
}

TEST_CASE("what no rule lets through is an error that names the place", "[flux]") {
  const TestInstance instance({{}});
  const auto with = [&](auto change) {
    RenderInput in = input(instance);
    change(in);
    return error(in);
  };
  CHECK(with([](RenderInput& in) { in.members.clear(); }) ==
        "spec.replicatedJobs: must have the instance's pods");
  CHECK(with([](RenderInput& in) {
          in.name_space = "n s";
        }).starts_with(R"(metadata.namespace: "n s": a lowercase)"));
  CHECK(with([](RenderInput& in) {
          in.subdomain = "a.%p";
        }).starts_with(R"(spec.network.subdomain: "a.%p": a lowercase)"));
  CHECK(with([](RenderInput& in) {
          in.cluster_domain = "%h";
        }).starts_with(R"(cluster-domain: "%h": a lowercase)"));
  CHECK(with([](RenderInput& in) { in.public_key = "short"; }) ==
        R"(public key: "short" must be 40 characters of Z85)");
  CHECK(with([](RenderInput& in) {
          in.jobset_name = "j[s";
        }).starts_with(R"("j[s-node-0-0" can't be a broker's host name)"));
  CHECK(with([](RenderInput& in) { in.settings.pmi = "a\0b"sv; }) ==
        R"(entrypoint.sh: @PMI@: "a\x00b" must be UTF-8 without NUL)");
  CHECK(with([](RenderInput& in) { in.settings.topology = "\xff"; }) ==
        R"(broker.toml: @TOPO@: "\xff" must be UTF-8 without NUL)");
  CHECK(with([](RenderInput& in) { in.settings.run_options = "\xff"; }) ==
        R"(job.sh: @RUN@: "\xff" must be UTF-8 without NUL)");
  CHECK(with([](RenderInput& in) {
          in.settings.run_options = std::string(1 << 20, 'x');
        }).starts_with("js-flux-entrypoint: would hold 10"));
}

TEST_CASE("counts that no rule lets through are refused before anything is made of them", "[flux]") {
  for (const Job& job :
       {Job{.replicas = 0}, Job{.replicas = -1}, Job{.pods = 0}, Job{.pods = -5},
        Job{.replicas = INT64_MAX, .pods = INT64_MAX}, Job{.replicas = 4'000, .pods = 100'000}}) {
    const TestInstance instance({job});
    CHECK(error(input(instance)).starts_with("spec.replicatedJobs: "));
  }
  const TestInstance indivisible({{.limits = {{"nvidia.com/gpu", "3"}}}});
  RenderInput in = input(indivisible);
  in.settings.num_proc_per_node = 2;
  CHECK(error(in).starts_with(
      "spec.replicatedJobs[0].template.spec.template.spec.containers[0].resources.limits"
      "[nvidia.com/gpu]: Invalid value: 3: must be a multiple"));
}

TEST_CASE("the largest instance fits into a ConfigMap", "[flux]") {
  const TestInstance wide({{.pods = 100'000}});
  CHECK(render_files(input(wide)));
  std::vector<Job> many(4'000, Job{.pods = 2});
  std::vector<std::string> names;
  names.reserve(many.size());
  for (std::size_t i = 0; i < many.size(); ++i)
    names.push_back(std::string(45, 'a') + std::to_string(1000 + i));
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i].name = names[i];
  const TestInstance long_names(many);
  CHECK(render_files(input(long_names)));
}

TEST_CASE("a certificate is ZPL with a name, as Flux wants it", "[flux]") {
  const CurveKeys keys{.public_key = ")RF3ktK]n14JJFEeL&Q]V2?T?f7Fzu:xw%DC@ehJ",
                       .secret_key = "w]Ey!S-}N<@&e2A!1<VdmY-hIY%a3a6e.h!*-zqI"};
  CHECK(render_certificate(keys, "lammps") == R"(metadata
    name = "lammps"
curve
    public-key = ")RF3ktK]n14JJFEeL&Q]V2?T?f7Fzu:xw%DC@ehJ"
    secret-key = "w]Ey!S-}N<@&e2A!1<VdmY-hIY%a3a6e.h!*-zqI"
)");
  CHECK(render_certificate(keys, "a\"\n    public-key = \"x").error().where == "curve.cert: @NAME@");
}

TEST_CASE("the companions are named after the JobSet, or as the user says", "[flux]") {
  CHECK(config_map_name("js") == "js-flux-entrypoint");
  CHECK(secret_name("js", {}) == "js-flux-curve");
  Settings settings;
  settings.curve_secret = "mine";
  CHECK(secret_name("js", settings) == "mine");
}
