#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "fluxhook/kube/client.h"
#include "kube/api_server.h"
#include "kube/temporary.h"

namespace fluxhook::kube::test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using nlohmann::json;

namespace {

/// A server that takes one token.
class Guarded {
public:
  void accept(std::string token) {
    const std::scoped_lock lock(mutex_);
    token_ = std::move(token);
  }
  void operator()(const Call& call, Peer& peer) {
    const std::scoped_lock lock(mutex_);
    const bool good = call.header("Authorization") == "Bearer " + token_;
    peer.send(good ? answer(200, "{}") : answer(401, status(401, "Unauthorized", "Unauthorized")));
  }

private:
  std::mutex mutex_;
  std::string token_;
};

std::unique_ptr<Client> open(const Config& config, ClientOptions options = {}) {
  auto client = Client::open(config, std::move(options));
  if (!client) FAIL(client.error().text());
  return std::move(*client);
}

/// A configuration whose user is a plugin: a shell script.
Config with_plugin(Config config, const Temporary& folder, const std::string& script) {
  const std::string path = folder.write("plugin", "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  config.token = {};
  config.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .command = path};
  return config;
}

std::string credential(const std::string& status) {
  return R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
         status + "}'\n";
}

/// Whether there is such a process, and it is not just waiting for its parent to look.
bool is_running(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  file >> number >> name >> state;
  return !state.empty() && state != "Z" && state != "X";
}

/// What a get says with a plugin that does this.
std::string complaint(const std::string& script, const std::string& hint = "") {
  const Temporary folder;
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Config config = with_plugin(server.config(), folder, script);
  config.exec->install_hint = hint;
  const auto got = open(config)->get("/");
  if (got) return "no complaint";
  CHECK(got.error().kind == ErrorKind::kCredentials);
  CHECK(got.error().where == "a test: exec plugin \"" + folder.at("plugin") + "\"");
  return got.error().message;
}

} // namespace

TEST_CASE("a token file is read again when its time is over", "[kube]") {
  const Temporary folder;
  Guarded guarded;
  guarded.accept("one");
  const ApiServer server(std::ref(guarded));
  Config config = server.config();
  config.token = {};
  config.token_file = folder.write("token", "one\n");
  const auto client = open(config, {.token_refresh = std::chrono::milliseconds(0)});
  CHECK(client->get("/"));
  folder.write("token", "two");
  guarded.accept("two");
  CHECK(client->get("/"));
  CHECK(server.calls().size() == 2); // no 401 was needed
}

TEST_CASE("a 401 makes the token file be read at once, and the request is made again", "[kube]") {
  const Temporary folder;
  Guarded guarded;
  guarded.accept("one");
  const ApiServer server(std::ref(guarded));
  Config config = server.config();
  config.token_file = folder.write("token", "one");
  const auto client = open(config, {.token_refresh = std::chrono::hours(1)});
  CHECK(client->get("/"));
  folder.write("token", "two");
  guarded.accept("two");
  CHECK(client->get("/"));
  CHECK(server.calls().size() == 3);
}

TEST_CASE("a second 401 is final", "[kube]") {
  const Temporary folder;
  Guarded guarded;
  const ApiServer server(std::ref(guarded));
  Config config = server.config();
  config.token_file = folder.write("token", "wrong");
  CHECK(open(config)->get("/").error().kind == ErrorKind::kUnauthorized);
  CHECK(server.calls().size() == 2);
  config.token_file = {};
  CHECK(open(config)->get("/").error().kind == ErrorKind::kUnauthorized);
  CHECK(server.calls().size() == 3); // a token in the kubeconfig has no successor
}

TEST_CASE("a token file that is gone for a moment leaves the old token", "[kube]") {
  const Temporary folder;
  Guarded guarded;
  guarded.accept("one");
  const ApiServer server(std::ref(guarded));
  Config config = server.config();
  config.token = {};
  config.token_file = folder.write("token", "one");
  const auto client = open(config, {.token_refresh = std::chrono::milliseconds(0)});
  CHECK(client->get("/"));
  std::filesystem::remove(config.token_file);
  CHECK(client->get("/"));
  const auto other = open(config)->get("/");
  CHECK(other.error().kind == ErrorKind::kCredentials);
  CHECK(other.error().text() == config.token_file + ": can't be read: No such file or directory");
}

TEST_CASE("a token that could forge a header is refused", "[kube]") {
  const Temporary folder;
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Config config = server.config();
  config.token_file = folder.write("token", "a\r\nX: b");
  config.token = {};
  CHECK(open(config)->get("/").error().message == "holds no token: one word is needed");
}

TEST_CASE("name and password become basic authentication", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Config config = server.config();
  config.token = {};
  config.username = "Aladdin";
  config.password = "open sesame";
  CHECK(open(config)->get("/"));
  CHECK(server.calls().at(0).header("Authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="); // RFC 7617
}

TEST_CASE("a plugin's token is used until it expires", "[kube]") {
  const Temporary folder;
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  const std::string counting = "echo x >> '" + folder.at("runs") + "'\n";
  const auto runs = [&] { return std::filesystem::file_size(folder.at("runs")) / 2; };
  Config config = with_plugin(server.config(), folder, counting + credential(R"({"token":"t"})"));
  auto client = open(config);
  CHECK(client->get("/"));
  CHECK(client->get("/"));
  CHECK(server.calls().at(1).header("Authorization") == "Bearer t");
  CHECK(runs() == 1);
  config =
      with_plugin(server.config(), folder,
                  counting + credential(R"({"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"})"));
  client = open(config);
  CHECK(client->get("/"));
  CHECK(client->get("/"));
  CHECK(runs() == 3);
}

TEST_CASE("a 401 makes a plugin be asked again", "[kube]") {
  const Temporary folder;
  Guarded guarded;
  guarded.accept("xx");
  const ApiServer server(std::ref(guarded));
  const Config config = with_plugin(server.config(), folder,
                                    "cd '" + folder.at("") + "'; printf x >> runs\n" +
                                        credential(R"x({"token":"'"$(cat runs)"'"})x"));
  CHECK(open(config)->get("/"));
  CHECK(server.calls().size() == 2);
}

TEST_CASE("a plugin's certificate is shown to the server", "[kube]") {
  const Temporary folder;
  const Authority clients("clients");
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); }, {},
                         clients.certificate());
  const Pair pair = clients.issue("me");
  const json status{{"clientCertificateData", pair.certificate}, {"clientKeyData", pair.key}};
  const json answer{
      {"apiVersion", "client.authentication.k8s.io/v1"}, {"kind", "ExecCredential"}, {"status", status}};
  folder.write("answer", answer.dump());
  const Config config = with_plugin(server.config(), folder, "cat '" + folder.at("answer") + "'\n");
  const auto client = open(config);
  CHECK(client->get("/"));
  CHECK(server.calls().at(0).header("Authorization").empty());
}

TEST_CASE("a plugin gets its arguments, its environment and what the API promises it", "[kube]") {
  const Temporary folder;
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Config config = with_plugin(server.config(), folder,
                              "printf '%s' \"$KUBERNETES_EXEC_INFO\" > '" + folder.at("info") + "'\n" +
                                  credential(R"({"token":"'"$1-$A-$HOME"'"})"));
  config.exec->args = {"b c"};
  config.exec->env = {{"A", "d"}, {"HOME", "e"}};
  config.exec->provide_cluster_info = true;
  config.exec->cluster_config = R"({"audience":"x"})";
  config.exec->interactive_mode = "Never";
  CHECK(open(config)->get("/"));
  CHECK(server.calls().at(0).header("Authorization") == "Bearer b c-d-e");
  std::ifstream file(folder.at("info"));
  const json info = json::parse(file);
  CHECK(info["apiVersion"] == "client.authentication.k8s.io/v1");
  CHECK(info["kind"] == "ExecCredential");
  CHECK(info["spec"]["interactive"] == false);
  CHECK(info["spec"]["cluster"]["server"] == config.server);
  CHECK(info["spec"]["cluster"]["config"]["audience"] == "x");
  CHECK_THAT(
      info["spec"]["cluster"]["certificate-authority-data"].get<std::string>(),
      Catch::Matchers::StartsWith("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t")); // -----BEGIN CERTIFICATE-----
}

TEST_CASE("what is wrong with a plugin is told with its name", "[kube]") {
  CHECK(complaint("exit 3") == "failed with exit code 3");
  CHECK(complaint("kill -9 $$") == "failed with exit code 137");
  CHECK(complaint("echo hello") == "wrote no ExecCredential, but \"hello\"");
  CHECK(complaint("true") == "wrote no ExecCredential, but \"\"");
  CHECK(
      complaint(R"(echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential"}')") ==
      "answers with \"client.authentication.k8s.io/v1beta1\", the kubeconfig wants "
      "\"client.authentication.k8s.io/v1\"");
  CHECK(complaint(credential("{}")) == "its answer has neither a token nor a certificate");
  CHECK(complaint(credential(R"({"clientKeyData":"x"})")) ==
        "its answer has only one of clientCertificateData and clientKeyData");
  CHECK(complaint(credential(R"({"token":"t","expirationTimestamp":"soon"})")) ==
        "expirationTimestamp \"soon\" is no RFC 3339 time");
  CHECK_THAT(complaint("head -c 3000000 /dev/zero"), EndsWith("wrote more than 1048576 bytes"));
}

TEST_CASE("a plugin that isn't there is told with the hint how to get it", "[kube]") {
  const ApiServer server([](const Call&, Peer& peer) { peer.send(answer(200, "{}")); });
  Config config = server.config();
  config.token = {};
  config.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .command = "no-such-plugin"};
  config.exec->install_hint = "get it\nsomewhere";
  CHECK(open(config)->get("/").error().text() ==
        "a test: exec plugin \"no-such-plugin\": can't be run: No such file or directory (get it somewhere)");
}

TEST_CASE("a stop ends a plugin that waits, and what it has started", "[kube]") {
  const Temporary folder;
  const ApiServer server([](const Call&, Peer&) {});
  Config config = with_plugin(server.config(), folder,
                              "cd '" + folder.at("") + "'; sleep 1000 & echo $! > pid; mv pid runs; wait");
  config.exec->interactive_mode = "Never"; // at a terminal it is one of our own group
  const auto client = open(config);
  std::stop_source stop;
  std::jthread stopper([&] {
    while (!std::filesystem::exists(folder.at("runs")))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.request_stop();
  });
  CHECK(client->get("/", stop.get_token()).error().kind == ErrorKind::kStopped);
  pid_t sleeper = 0;
  std::ifstream(folder.at("runs")) >> sleeper;
  REQUIRE(sleeper > 0);
  while (is_running(sleeper)) // else ctest's time limit ends this
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace fluxhook::kube::test
