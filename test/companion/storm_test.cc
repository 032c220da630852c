#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <format>
#include <random>
#include <thread>

#include "companion/running.h"

namespace fluxhook::companion::test {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr int kKills = 100, kEach = 3; ///< JobSets that come before each kill

/// A process with a controller: this program, with the test case below.
class Victim {
public:
  Victim(const Cluster& cluster, const std::string& name) {
    const kube::Config config = cluster.config(name);
    std::vector<std::string> texts{"STORM_SERVER=" + config.server, "STORM_CA=" + config.ca.text,
                                   "STORM_NAME=" + name};
    std::vector<char*> environment;
    environment.reserve(texts.size());
    for (std::string& text : texts)
      environment.push_back(text.data());
    for (char** variable = environ; *variable != nullptr; ++variable)
      environment.push_back(*variable);
    environment.push_back(nullptr);
    std::string program = "companion_test", tests = "[.victim]";
    std::array<char*, 3> arguments{program.data(), tests.data(), nullptr};
    if (::posix_spawn(&pid_, "/proc/self/exe", nullptr, nullptr, arguments.data(), environment.data()) != 0)
      throw std::runtime_error("no process can be started");
  }
  ~Victim() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

private:
  pid_t pid_ = 0;
};

std::string name_of(int jobset) { return std::format("js-{}", jobset); }
std::string map_of(const std::string& name) {
  return std::format("/api/v1/namespaces/hpc/configmaps/{}-flux-entrypoint", name);
}
std::string secret_of(const std::string& name) {
  return std::format("/api/v1/namespaces/hpc/secrets/{}-flux-curve", name);
}
bool has_both(const Cluster& cluster, const std::string& name) {
  return cluster.get(map_of(name)) && cluster.get(secret_of(name));
}

/// Somebody else's objects, of the names that the JobSets "a" and "b" need: their paths.
std::vector<std::string> put_foreign(Cluster& cluster) {
  Json map{{"kind", "ConfigMap"}, {"metadata", {{"name", "a-flux-entrypoint"}, {"namespace", "hpc"}}}};
  map["metadata"]["labels"][kManagedByLabel] = kManager; // by the label alone it is none of ours
  cluster.put(map);
  cluster.put({{"kind", "Secret"}, {"metadata", {{"name", "b-flux-curve"}, {"namespace", "hpc"}}}});
  cluster.put(jobset("a", "uid-a"));
  cluster.put(jobset("b", "uid-b"));
  return {map_of("a"), secret_of("b")};
}

/// Gives up the Lease of whoever was killed: the next one needs not wait for its end.
void release_lease(Cluster& cluster) {
  auto lease = cluster.get("/apis/coordination.k8s.io/v1/namespaces/flux/leases/fluxhook");
  if (!lease) return;
  (*lease)["spec"]["holderIdentity"] = "";
  cluster.put(*lease);
}

/// How long a process needs from its start to a JobSet's companions.
steady_clock::duration time_of_one(Cluster& cluster) {
  cluster.put(jobset("first", "uid-first"));
  const auto begun = steady_clock::now();
  const Victim victim(cluster, "first");
  CHECK(cluster.wait_until([&] { return has_both(cluster, "first"); }));
  return steady_clock::now() - begun;
}

} // namespace

TEST_CASE("a process that is to be killed", "[.victim]") {
  REQUIRE(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string name = variable("STORM_NAME");
  const Running running({.origin = "a test",
                         .server = variable("STORM_SERVER"),
                         .ca = {variable("STORM_CA"), "the test's CA"},
                         .token = name},
                        name, {.workers = 4});
  while (true)
    ::pause();
}

TEST_CASE("killed a hundred times at random, controllers lose no JobSet and touch nobody else's object",
          "[companion]") {
  Cluster cluster;
  const auto foreign = put_foreign(cluster);
  std::vector<std::optional<Json>> before;
  before.reserve(foreign.size());
  for (const std::string& path : foreign)
    before.push_back(cluster.get(path));
  const auto once = time_of_one(cluster);
  const auto seed = std::random_device()();
  INFO("seed " << seed);
  std::minstd_rand random(seed);
  std::uniform_real_distribution<double> part(0, 1.5);
  for (int i = 0; i < kKills; ++i) {
    for (int j = 0; j < kEach; ++j)
      cluster.put(jobset(name_of(i * kEach + j), std::format("uid-{}", i * kEach + j)));
    release_lease(cluster);
    const Victim victim(cluster, std::format("victim-{}", i));
    std::this_thread::sleep_for(once * part(random));
  }
  UNSCOPED_INFO(cluster.all("ConfigMap").size()
                << " ConfigMaps, " << cluster.all("Secret").size() << " Secrets");
  CHECK(cluster.all("ConfigMap").size() > 2); // besides the first one and a foreign one: they did something
  release_lease(cluster);
  const Running last(cluster, "last", {.workers = 4});
  for (int i = 0; i < kKills * kEach; ++i) {
    const std::string name = name_of(i);
    INFO(name);
    REQUIRE(cluster.wait_until([&] { return has_both(cluster, name); }));
    CHECK(owner(cluster.get(map_of(name)).value()) == std::format("uid-{}", i));
    CHECK(owner(cluster.get(secret_of(name)).value()) == std::format("uid-{}", i));
    CHECK(cluster.stored(map_of(name)) == 1);
    CHECK(cluster.stored(secret_of(name)) == 1);
  }
  for (std::size_t i = 0; i < foreign.size(); ++i)
    CHECK(cluster.get(foreign.at(i)) == before.at(i));
  CHECK(cluster.all("JobSet").size() == kKills * kEach + 3);
}

} // namespace fluxhook::companion::test
