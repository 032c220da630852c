#include <openssl/evp.h>

#include <map>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fluxhook/kube/config.h"
#include "kube/authority.h"
#include "kube/temporary.h"

namespace fluxhook::kube::test {

using Catch::Matchers::ContainsSubstring;

namespace {

/// A configuration of KUBECONFIG=…, with no other environment.
ConfigSource source_of(std::map<std::string, std::string> variables, std::string context = "") {
  ConfigSource source;
  source.context = std::move(context);
  source.environment = [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  return source;
}

constexpr std::string_view kWhole = R"(apiVersion: v1
kind: Config
current-context: one
clusters:
- name: c
  cluster: {server: "https://10.0.0.1:6443"}
users:
- name: u
  user: {token: secret}
contexts:
- name: one
  context: {cluster: c, user: u, namespace: team-a}
- name: two
  context: {cluster: c, user: u}
)";

/// kWhole with a cluster, a user and a context of its own.
std::string with(const std::string& cluster, const std::string& user = "token: secret",
                 const std::string& context = "cluster: c, user: u") {
  return "current-context: one\nclusters:\n- name: c\n  cluster: {" + cluster +
         "}\nusers:\n- name: u\n  user: {" + user + "}\ncontexts:\n- name: one\n  context: {" + context +
         "}\n";
}

const std::string kServer = "server: 'https://10.0.0.1:6443'";

std::string base64(const std::string& bytes) {
  std::vector<unsigned char> text(4 * (bytes.size() / 3 + 1) + 1);
  const int size = EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  return {text.begin(), text.begin() + size};
}

/// What load_config says of one file.
std::string complaint(const std::string& file, const std::string& context = "") {
  const auto config = load_config(source_of({{"KUBECONFIG", file}}, context));
  return config ? "no complaint" : config.error().text();
}

} // namespace

TEST_CASE("a context names the cluster, the user and the namespace", "[kube]") {
  const Temporary folder;
  const std::string file = folder.write("config", std::string(kWhole));
  const auto config = load_config(source_of({{"KUBECONFIG", file}}));
  REQUIRE(config);
  CHECK(config->server == "https://10.0.0.1:6443");
  CHECK(config->token == "secret");
  CHECK(config->name_space == "team-a");
  CHECK(config->origin == file + ": context \"one\"");
  const auto other = load_config(source_of({{"KUBECONFIG", file}}, "two"));
  REQUIRE(other);
  CHECK(other->name_space == "default");
}

TEST_CASE("~/.kube/config is read when nothing else is said", "[kube]") {
  const Temporary folder;
  folder.write(".kube/config", std::string(kWhole));
  const auto config = load_config(source_of({{"HOME", folder.at("")}}));
  REQUIRE(config);
  CHECK(config->token == "secret");
}

TEST_CASE("the flag --kubeconfig goes before KUBECONFIG and has to exist", "[kube]") {
  const Temporary folder;
  ConfigSource source = source_of({{"KUBECONFIG", folder.write("other", with(kServer, "token: other"))}});
  source.kubeconfig = folder.write("config", std::string(kWhole));
  CHECK(load_config(source)->token == "secret");
  source.kubeconfig = folder.at("none");
  CHECK(load_config(source).error().text() == folder.at("none") + ": no such file: --kubeconfig needs one");
}

TEST_CASE("paths in a kubeconfig are relative to its folder", "[kube]") {
  const Temporary folder;
  const Authority authority;
  const Pair client = authority.issue("someone");
  folder.write("sub/pki/ca.crt", authority.certificate());
  folder.write("sub/pki/me.crt", client.certificate);
  folder.write("sub/me.key", client.key);
  folder.write("sub/token", "secret");
  const std::string file = folder.write(
      "sub/config",
      with(kServer + ", certificate-authority: pki/ca.crt",
           "client-certificate: pki/me.crt, client-key: me.key, tokenFile: token, exec: {apiVersion: "
           "client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}"));
  const auto config = load_config(source_of({{"KUBECONFIG", file}}));
  REQUIRE(config);
  CHECK(config->ca.text == authority.certificate());
  CHECK(config->client_certificate.text == client.certificate);
  CHECK(config->client_key.text == client.key);
  CHECK(config->token_file == folder.at("sub/token"));
  CHECK(config->exec->command == folder.at("sub/plugin"));
}

TEST_CASE("data in base64 stands for a file, line breaks in it don't count", "[kube]") {
  const Temporary folder;
  const Authority authority;
  const Pair client = authority.issue("someone");
  std::string data = base64(authority.certificate());
  for (std::size_t i = 76; i < data.size(); i += 79)
    data.insert(i, "\\r\\n");
  const std::string file =
      folder.write("config", with(kServer + ", certificate-authority-data: \"" + data + "\"",
                                  "client-certificate-data: " + base64(client.certificate) +
                                      ", client-key-data: " + base64(client.key)));
  const auto config = load_config(source_of({{"KUBECONFIG", file}}));
  REQUIRE(config);
  CHECK(config->ca.text == authority.certificate());
  CHECK(config->client_key.text == client.key);
}

TEST_CASE("a credential plugin is read whole", "[kube]") {
  const Temporary folder;
  const std::string file = folder.write(
      "config",
      with(kServer + ", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]",
           "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login, args: [get, '1'], env: "
           "[{name: A, value: b}], provideClusterInfo: true, installHint: get it}"));
  const auto config = load_config(source_of({{"KUBECONFIG", file}}));
  REQUIRE(config);
  REQUIRE(config->exec);
  CHECK(config->exec->command == "login");
  CHECK(config->exec->args == std::vector<std::string>{"get", "1"});
  CHECK(config->exec->env == std::vector<std::pair<std::string, std::string>>{{"A", "b"}});
  CHECK(config->exec->provide_cluster_info);
  CHECK(config->exec->interactive_mode == "IfAvailable");
  CHECK(config->exec->install_hint == "get it");
  CHECK(config->exec->cluster_config == R"({"audience":"x"})");
}

TEST_CASE("a kubeconfig's fault is one line with the place, the entry and what would be right", "[kube]") {
  struct Bad {
    std::string text;
    std::string complaint; ///< behind the file's name
  };
  const auto bad = GENERATE(from_range(std::vector<Bad>{
      {"clusters:\n- name: c\n  cluster: {server: x\n", ":4:1: did not find expected ',' or '}'"},
      {"just text", ":1:1: this is no kubeconfig: it has no fields"},
      {"kind: Pod", ":1:7: kind \"Pod\": a kubeconfig has kind Config"},
      {"clusters: {}", ":1:11: clusters: a list is needed"},
      {"clusters:\n- cluster: {}", ":2:3: clusters: each entry needs a name, a string"},
      {"users:\n- name: u\n- name: u", ":3:3: users: there are two with the name \"u\""},
      {"clusters: [{name: a, cluster: {server: \"https://a\"}}]", ": has no context"},
      {"contexts:\n- name: a\n- name: b", ": no current-context is set: give --context, one of \"a\", \"b\""},
      {"current-context: x\ncontexts:\n- name: a", ": there is no context \"x\": there are \"a\""},
      {with(kServer, "token: t", "cluster: d, user: u"),
       ":10:22: context \"one\": cluster: there is no cluster \"d\": there are \"c\""},
      {with(kServer, "token: t", "cluster: c"), ":10:12: context \"one\": user: is missing: one of \"u\""},
      {with(kServer, "token: t", "cluster: c, user: u, namespace: Bad_One"),
       ":10:45: context \"one\": namespace: \"Bad_One\" is no namespace's name"},
      {with("insecure-skip-tls-verify: true"),
       ":4:12: cluster \"c\": server: is missing: https://HOST:PORT is needed"},
      {with("server: 10.0.0.1"),
       ":4:21: cluster \"c\": server: \"10.0.0.1\" is no server's URL: https://HOST:PORT is needed"},
      {with("server: 'https://h:x'"),
       ":4:21: cluster \"c\": server: \"https://h:x\" is no server's URL: https://HOST:PORT is needed"},
      {with(kServer + ", proxy-url: 'http://p'"),
       ":4:57: cluster \"c\": proxy-url: proxies are not supported"},
      {with(kServer + ", certificate-authority-data: '*'"),
       ": cluster \"c\": certificate-authority-data: is not base64"},
      {with(kServer + ", certificate-authority-data: " + base64("text")),
       ": cluster \"c\": certificate-authority-data: holds no certificate in PEM (-----BEGIN "
       "CERTIFICATE-----)"},
      {with(kServer, "token: 12"), ":7:17: user \"u\": token: a string is needed: quote it"},
      {with(kServer, "as: admin"), ":7:14: user \"u\": as: impersonation is not supported"},
      {with(kServer, "auth-provider: {name: oidc}"),
       ":7:25: user \"u\": auth-provider: \"oidc\" is not supported: use a token, a client certificate or an "
       "exec "
       "plugin"},
      {with(kServer, "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: a}"),
       ":7:29: user \"u\": exec: apiVersion: \"client.authentication.k8s.io/v1alpha1\": "
       "client.authentication.k8s.io/v1 or v1beta1 is needed"},
      {with(kServer, "exec: {apiVersion: client.authentication.k8s.io/v1, command: a}"),
       ":7:16: user \"u\": exec: interactiveMode: is missing: Never, IfAvailable or Always"},
      {with(kServer, "username: u, token: t"),
       ":7:20: user \"u\": username: only one of it and token may be there"},
  }));
  const Temporary folder;
  const std::string file = folder.write("config", bad.text);
  INFO(bad.text);
  const std::string said = complaint(file);
  CHECK_THAT(said, ContainsSubstring(file + bad.complaint));
  CHECK(!said.contains('\n'));
}

TEST_CASE("a file that a kubeconfig names and can't be read is named", "[kube]") {
  const Temporary folder;
  const std::string file = folder.write("config", with(kServer + ", certificate-authority: none.crt"));
  CHECK(complaint(file) == file + ": cluster \"c\": certificate-authority: " + folder.at("none.crt") +
                               ": can't be read: No such file or directory");
}

TEST_CASE("a client certificate that is expired, or has another key, or an encrypted one, is told",
          "[kube]") {
  const Temporary folder;
  const Authority authority;
  const Pair good = authority.issue("me"), other = authority.issue("other");
  const Pair old = authority.issue("me", "", {.from = -10, .to = -2});
  const Pair early = authority.issue("me", "", {.from = 2, .to = 10});
  const auto said = [&](const std::string& certificate, const std::string& key) {
    return complaint(folder.write("config", with(kServer, "client-certificate-data: " + base64(certificate) +
                                                              ", client-key-data: " + base64(key))));
  };
  const std::string file = folder.at("config");
  CHECK(said(good.certificate, good.key) == "no complaint");
  CHECK(said(good.certificate, other.key) ==
        file + ": user \"u\": client-key-data: the key does not belong to the certificate of " + file +
            ": user \"u\": client-certificate-data");
  CHECK_THAT(
      said(old.certificate, old.key),
      ContainsSubstring(": user \"u\": client-certificate-data: the client certificate expired on 20"));
  CHECK_THAT(said(early.certificate, early.key),
             ContainsSubstring("the client certificate is not valid before 20"));
  CHECK_THAT(said(good.certificate, "-----BEGIN PRIVATE KEY-----\nxx\n-----END PRIVATE KEY-----\n"),
             ContainsSubstring("client-key-data: holds no private key in PEM that can be read"));
  CHECK_THAT(said("text", good.key),
             ContainsSubstring("client-certificate-data: holds no certificate in PEM"));
}

TEST_CASE("an encrypted key is refused without asking for a password", "[kube]") {
  // openssl genpkey -algorithm ed25519 -aes128 -pass pass:x
  const std::string key = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiR4u6g0d4Y4wICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEOI5mLShXmIMXhWgPnzLP6AEQEka
PQazMQyF+M8/K9McZ/z+eub1FFdPcL6TD+3DuOna99FpGdB+wOsevkNSZxxc0oH7
HwS8Zi9gslbZkzwgfcc=
-----END ENCRYPTED PRIVATE KEY-----
)";
  const Temporary folder;
  const Authority authority;
  const std::string certificate = authority.issue("me").certificate;
  const std::string file =
      folder.write("config", with(kServer, "client-certificate-data: " + base64(certificate) +
                                               ", client-key-data: " + base64(key)));
  CHECK(complaint(file) ==
        file + ": user \"u\": client-key-data: the key is encrypted: an unencrypted PEM key is needed");
}

} // namespace fluxhook::kube::test
