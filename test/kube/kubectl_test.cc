// kubectl as the oracle of how kubeconfigs are merged.
#include <cstdio>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <nlohmann/json.hpp>

#include "fluxhook/kube/config.h"
#include "kube/authority.h"
#include "kube/temporary.h"

namespace fluxhook::kube::test {

namespace {

using nlohmann::json;

/// `kubectl config view` of what is in use: one context, its cluster and user, files inlined.
json view(const std::string& variable, const std::string& context) {
  const std::string command = "KUBECONFIG='" + variable +
                              "' kubectl config view --minify --flatten --raw -o json" +
                              (context.empty() ? "" : " --context " + context);
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    text += static_cast<char>(c);
  ::pclose(pipe);
  return json::parse(text);
}

std::string text_at(const json& object, const char* pointer) {
  return object.value(json::json_pointer(pointer), std::string());
}

constexpr const char* kFirst = R"(
current-context: shared
clusters:
- name: a
  cluster: {server: "https://first:6443", tls-server-name: api}
users:
- name: u
  user: {token: first}
contexts:
- name: shared
  context: {cluster: a, user: u, namespace: one}
)";
constexpr const char* kSecond = R"(
current-context: own
clusters:
- name: a
  cluster: {server: "https://second:6443", insecure-skip-tls-verify: true}
- name: b
  cluster: {server: "https://b:6443", certificate-authority: ca.crt}
users:
- name: u
  user: {username: me, password: second}
- name: v
  user: {tokenFile: token}
contexts:
- name: shared
  context: {cluster: b, user: v}
- name: own
  context: {cluster: b, user: u}
- name: mixed
  context: {cluster: a, user: v, namespace: two}
)";

} // namespace

TEST_CASE("several kubeconfigs are merged as kubectl does it", "[kube]") {
  const Temporary folder;
  const Authority authority;
  const std::string first = folder.write("first", kFirst), second = folder.write("other/second", kSecond);
  folder.write("other/ca.crt", authority.certificate());
  folder.write("other/token", "from a file");
  const std::string empty = folder.write("empty", ""), none = folder.at("none");
  const std::vector<std::string> variables{first + ":" + second, second + ":" + first,
                                           none + ":" + empty + "::" + second + ":" + first, second};
  const std::string& variable = variables.at(GENERATE(range(0U, 4U)));
  const auto context = GENERATE(from_range(std::vector<std::string>{"", "own", "mixed"}));
  INFO(variable << " " << context);
  ConfigSource source;
  source.context = context;
  source.environment = [&](const char* name) { return std::string(name) == "KUBECONFIG" ? variable : ""; };
  const auto config = load_config(source);
  const json expected = view(variable, context);
  if (!config) FAIL(config.error().text());
  CHECK(config->server == text_at(expected, "/clusters/0/cluster/server"));
  CHECK(config->tls_server_name == text_at(expected, "/clusters/0/cluster/tls-server-name"));
  CHECK(config->insecure_skip_tls_verify ==
        expected.value("/clusters/0/cluster/insecure-skip-tls-verify"_json_pointer, false));
  CHECK(config->ca.text.empty() ==
        text_at(expected, "/clusters/0/cluster/certificate-authority-data").empty());
  CHECK(config->token == text_at(expected, "/users/0/user/token"));
  const std::string token_file =
      text_at(expected, "/users/0/user/tokenFile"); // the view has it as it is written
  CHECK(config->token_file == (token_file.empty() ? "" : folder.at("other/" + token_file)));
  CHECK(config->username == text_at(expected, "/users/0/user/username"));
  CHECK(config->password == text_at(expected, "/users/0/user/password"));
  const std::string name = text_at(expected, "/contexts/0/context/namespace");
  CHECK(config->name_space == (name.empty() ? "default" : name));
}

} // namespace fluxhook::kube::test
