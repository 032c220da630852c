#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fluxhook/kube/client.h"
#include "kube/api_server.h"

namespace fluxhook::kube::test {

using Catch::Matchers::ContainsSubstring;

namespace {

void say_yes(const Call&, Peer& peer) { peer.send(answer(200, "{}")); }

/// What a client says that asks once: the error's kind and message, or "yes".
std::string ask(const Config& config) {
  auto client = Client::open(config);
  if (!client) return client.error().text();
  const auto got = (*client)->get("/version");
  return got ? "yes" : std::string(to_string(got.error().kind)) + ": " + got.error().message;
}

/// A server with a certificate of `authority`, and a configuration that trusts it.
Config trusting(const ApiServer& server, const Authority& authority) {
  Config config = server.config();
  config.ca = {authority.certificate(), "a test"};
  return config;
}

} // namespace

TEST_CASE("a server is trusted by its address, IPv4 and IPv6, and by its name", "[kube]") {
  const ApiServer four(say_yes), six(say_yes, {}, "", "::1");
  CHECK(ask(four.config()) == "yes");
  CHECK(ask(six.config()) == "yes");
  Config named = four.config();
  named.server.replace(named.server.find("127.0.0.1"), 9, "localhost");
  CHECK(ask(named) == "yes");
}

TEST_CASE("a certificate of somebody else's CA is not trusted, whatever it says", "[kube]") {
  const Authority other("test CA");
  const ApiServer server(say_yes);
  CHECK_THAT(ask(trusting(server, other)),
             ContainsSubstring("TLS: the server's certificate is not trusted: ") &&
                 ContainsSubstring(": is certificate-authority that of this cluster?"));
  Config insecure = server.config();
  insecure.ca = {};
  CHECK_THAT(ask(insecure), ContainsSubstring("TLS: the server's certificate is not trusted: "));
  insecure.insecure_skip_tls_verify = true;
  CHECK(ask(insecure) == "yes");
}

TEST_CASE("an expired server certificate is told", "[kube]") {
  const Authority authority;
  const ApiServer server(say_yes, authority.issue("api", "IP:127.0.0.1", {.from = -9, .to = -1}));
  CHECK(ask(trusting(server, authority)) == "TLS: the server's certificate is expired");
}

TEST_CASE("a certificate for other names is refused with the names that it has", "[kube]") {
  const Authority authority;
  const ApiServer server(say_yes, authority.issue("127.0.0.1", "DNS:kubernetes,IP:10.96.0.1"));
  Config config = trusting(server, authority);
  CHECK(ask(config) == "TLS: the server's certificate is for DNS:kubernetes, IP Address:10.96.0.1, not for "
                       "\"127.0.0.1\": tls-server-name can name one of them");
  config.tls_server_name = "kubernetes";
  CHECK(ask(config) == "yes");
  config.server.replace(config.server.find("127.0.0.1"), 9, "localhost");
  CHECK(ask(config) == "yes");
}

TEST_CASE("a name is sent as SNI, and the Host header stays the server's own", "[kube]") {
  const Authority authority;
  const ApiServer server(say_yes, authority.issue("x", "DNS:kubernetes"));
  Config config = trusting(server, authority);
  config.tls_server_name = "kubernetes";
  CHECK(ask(config) == "yes");
  CHECK(server.calls().at(0).sni == "kubernetes");
  CHECK("https://" + server.calls().at(0).header("Host") == server.url());
}

TEST_CASE("a client certificate is shown to a server that wants one", "[kube]") {
  const Authority clients("clients");
  const ApiServer server(say_yes, {}, clients.certificate());
  Config config = server.config();
  CHECK_THAT(ask(config), !ContainsSubstring("yes"));
  const Pair pair = clients.issue("me");
  config.client_certificate = {pair.certificate, "me.crt"};
  config.client_key = {pair.key, "me.key"};
  CHECK(ask(config) == "yes");
}

TEST_CASE("a server without TLS, such as kubectl proxy, is asked, but gets no credentials", "[kube]") {
  const ApiServer server(say_yes, {}, "", "127.0.0.1", ApiServer::Transport::kPlain);
  CHECK(ask(server.config()) == "yes"); // client-go: tools/clientcmd/client_config.go, IsConfigTransportTLS
  CHECK(server.calls().at(0).header("Authorization").empty());
  Config config = server.config();
  config.server.insert(4, "s");
  CHECK_THAT(ask(config), ContainsSubstring("TLS: the TLS handshake failed"));
}

TEST_CASE("plain HTTP to a port with TLS is unreachable", "[kube]") {
  const ApiServer server(say_yes);
  Config config = server.config();
  config.server.replace(0, 5, "http");
  CHECK_THAT(ask(config), ContainsSubstring("unreachable"));
}

} // namespace fluxhook::kube::test
