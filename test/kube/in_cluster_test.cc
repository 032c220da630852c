#include <map>

#include <catch2/catch_test_macros.hpp>

#include "fluxhook/kube/config.h"
#include "kube/authority.h"
#include "kube/temporary.h"

namespace fluxhook::kube::test {

namespace {

/// A pod's environment.
ConfigSource pod(const Temporary& folder, std::string host, std::string home = "") {
  ConfigSource source;
  source.service_account = folder.at("");
  source.environment = [host = std::move(host), home = std::move(home)](const char* name) -> std::string {
    const std::map<std::string, std::string> variables{{"KUBERNETES_SERVICE_HOST", host},
                                                       {"KUBERNETES_SERVICE_PORT", host.empty() ? "" : "443"},
                                                       {"HOME", home}};
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
  return source;
}

} // namespace

TEST_CASE("a pod's service account is the configuration when there is no kubeconfig", "[kube]") {
  const Temporary folder;
  const Authority authority;
  folder.write("ca.crt", authority.certificate());
  folder.write("token", "t");
  const auto config = load_config(pod(folder, "10.96.0.1"));
  REQUIRE(config);
  CHECK(config->server == "https://10.96.0.1:443");
  CHECK(config->ca.text == authority.certificate());
  CHECK(config->token_file == folder.at("/token"));
  CHECK(config->name_space == "default");
  folder.write("namespace", "fluxhook-system\n");
  CHECK(load_config(pod(folder, "10.96.0.1"))->name_space == "fluxhook-system");
}

TEST_CASE("an IPv6 service address gets brackets", "[kube]") {
  const Temporary folder;
  const Authority authority;
  folder.write("ca.crt", authority.certificate());
  folder.write("token", "t");
  CHECK(load_config(pod(folder, "fd00:10:96::1"))->server == "https://[fd00:10:96::1]:443");
}

TEST_CASE("a kubeconfig goes before the service account, as with kubectl", "[kube]") {
  const Temporary folder;
  folder.write(".kube/config", "current-context: a\nclusters: [{name: a, cluster: {server: 'http://h'}}]\n"
                               "users: [{name: a}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n");
  CHECK(load_config(pod(folder, "10.96.0.1", folder.at("")))->server == "http://h");
}

TEST_CASE("a service account that lacks its files is told by their names", "[kube]") {
  const Temporary folder;
  CHECK(load_config(pod(folder, "10.96.0.1")).error().text() ==
        folder.at("/ca.crt") + ": can't be read: No such file or directory");
  const Authority authority;
  folder.write("ca.crt", authority.certificate());
  CHECK(load_config(pod(folder, "10.96.0.1")).error().text() ==
        folder.at("/token") + ": can't be read: No such file or directory");
}

TEST_CASE("no kubeconfig and no pod: what to do is said", "[kube]") {
  const Temporary folder;
  CHECK(load_config(pod(folder, "", "/nowhere")).error().text() ==
        "no cluster is configured: there is no kubeconfig (/nowhere/.kube/config), and this is no pod: give "
        "--kubeconfig FILE or set KUBECONFIG");
}

} // namespace fluxhook::kube::test
